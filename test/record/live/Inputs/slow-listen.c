// Preloaded into memrec: takes its time before a recording's socket for tools listens.
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

int listen(int fd, int room) {
  struct sockaddr_un name = {0};
  socklen_t size = sizeof(name) - 1;
  getsockname(fd, (struct sockaddr *)&name, &size);
  if (strstr(name.sun_path, "/memkit/"))
    sleep(2);
  return (int)syscall(SYS_listen, fd, room);
}
