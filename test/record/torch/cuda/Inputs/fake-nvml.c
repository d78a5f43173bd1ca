// What libc10_cuda.so asks of NVML: there is a device, and it is in no fabric.
enum { Success = 0, NotSupported = 3 };
int nvmlInit_v2(void) { return Success; }
int nvmlDeviceGetHandleByPciBusId_v2(const char *Bus, void **Device) {
  *Device = (void *)1;
  return Success;
}
int nvmlDeviceGetGpuFabricInfoV(void *Device, void *To) { return NotSupported; }
int nvmlDeviceGetNvLinkRemoteDeviceType() { return NotSupported; }
int nvmlDeviceGetNvLinkRemotePciInfo_v2() { return NotSupported; }
int nvmlDeviceGetComputeRunningProcesses() { return NotSupported; }
int nvmlSystemGetCudaDriverVersion_v2() { return NotSupported; }
