// What libc10_cuda.so asks of NVML: there is a device, in no fabric, and nobody uses it.
enum { Success = 0, NotSupported = 3 };
int nvmlInit_v2(void) { return Success; }
int nvmlDeviceGetHandleByPciBusId_v2(const char *Bus, void **Device) {
  *Device = (void *)1;
  return Success;
}
int nvmlDeviceGetGpuFabricInfoV(void *Device, void *To) { return Success; }
int nvmlDeviceGetComputeRunningProcesses(void *Device, unsigned *Count) {
  *Count = 0;
  return Success;
}
int nvmlDeviceGetNvLinkRemoteDeviceType() { return NotSupported; }
int nvmlDeviceGetNvLinkRemotePciInfo_v2() { return NotSupported; }
int nvmlSystemGetCudaDriverVersion_v2() { return NotSupported; }
