package dev.weft.pvfs.fuse;

import dev.weft.pvfs.fuse.LinuxCalls.Call;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;

/** Mounts and unmounts, by mount(2) or by fusermount3. */
final class Mounts {
  static final String DEVICE = "/dev/fuse";
  private static final int READ_ONLY = 1;
  private static final int NO_SET_USER_ID = 2;
  private static final int NO_DEVICES = 4;
  private static final int DETACH = 2;
  private static final int NO_FOLLOW = 8;

  private Mounts() {}

  /** Mounts at an empty place; returns the descriptor of the connection. */
  static int mount(Path directory, FuseOptions options) throws IOException {
    if (!Files.isDirectory(directory)) {
      throw new IOException(directory + " is no directory that can be mounted on; make it with mkdir, or unmount a dead mount there with umount -l");
    }
    return byFusermount(options) ? Fusermount.mount(directory, options) : mountAsRoot(directory, options);
  }

  /** Whether to use the helper for ordinary users. */
  static boolean byFusermount(FuseOptions options) {
    return switch (options.mounter) {
      case AUTO -> LinuxCalls.call(Call.GETEUID) != 0;
      case MOUNT -> false;
      case FUSERMOUNT -> true;
    };
  }

  private static int mountAsRoot(Path directory, FuseOptions options) throws IOException {
    int fd = LinuxCalls.open(DEVICE, LinuxCalls.READ_WRITE_CLOSE_ON_EXEC);
    if (fd < 0) {
      throw new IOException(DEVICE + " cannot be opened: " + LinuxCalls.errorName(fd) + "; " + switch (fd) {
        case LinuxCalls.ENOENT, LinuxCalls.ENODEV -> "load the kernel's module (modprobe fuse), or give the container the device (--device /dev/fuse)";
        case LinuxCalls.EPERM -> "the container must be allowed the device (--device /dev/fuse)";
        default -> "its permissions are usually 666";
      });
    }
    long result = callMount(directory, options, fd);
    if (result < 0) {
      LinuxCalls.close(fd);
      throw new IOException("mount(2) at " + directory + ": " + LinuxCalls.errorName(result)
          + (result == LinuxCalls.EPERM ? "; it needs CAP_SYS_ADMIN, which containers have with --cap-add SYS_ADMIN" : ""));
    }
    return fd;
  }

  private static long callMount(Path directory, FuseOptions options, int fd) {
    String data = "fd=" + fd + ",rootmode=40000,user_id=" + LinuxCalls.call(Call.GETEUID) + ",group_id=" + LinuxCalls.call(Call.GETEGID)
        + (options.checksPermissions ? ",default_permissions" : "") + (options.allowsOther ? ",allow_other" : "");
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment source = arena.allocateFrom(options.name);
      MemorySegment target = arena.allocateFrom(directory.toString());
      MemorySegment type = arena.allocateFrom("fuse." + options.name);
      return LinuxCalls.call(Call.MOUNT, source.address(), target.address(), type.address(),
          NO_SET_USER_ID | (options.opensDevices ? 0 : NO_DEVICES) | (options.isReadOnly ? READ_ONLY : 0), arena.allocateFrom(data).address());
    }
  }

  /**
   * Unmounts. The kernel first writes its cache back, so the connection must be served meanwhile, or be dead.
   *
   * @param isLazy whether to detach the mount even if files are open; it ends when they are closed
   * @return null, or the obstacle
   */
  static String unmount(Path directory, boolean isLazy, FuseOptions options) {
    if (byFusermount(options)) {
      return Fusermount.unmount(directory, isLazy);
    }
    try (Arena arena = Arena.ofConfined()) {
      long result = LinuxCalls.call(Call.UMOUNT2, arena.allocateFrom(directory.toString()).address(), NO_FOLLOW | (isLazy ? DETACH : 0), 0);
      return result < 0 ? LinuxCalls.errorName(result) : null;
    }
  }
}
