package dev.weft.pvfs.fuse;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Mounts a file system in memory, in a process of its own: {@code DIRECTORY CACHE BYTES [writeback] [async] [others] [fusermount]}.
 * Ends when it is unmounted.
 */
final class MountMain {
  private MountMain() {}

  public static void main(String[] arguments) throws Exception {
    FuseFileSystem files = new MemoryFileSystem(Long.parseLong(arguments[2]));
    FuseOptions options = FuseOptions.named("weft-memory").cache(CacheMode.valueOf(arguments[1]));
    for (String word : arguments) {
      switch (word) {
        case "writeback" -> options.writesBack(true);
        case "others" -> options.allowOther(true);
        case "fusermount" -> options.mounter(FuseOptions.Mounter.FUSERMOUNT);
        case "async" -> files = answeredLater(files, Executors.newSingleThreadExecutor(Thread.ofPlatform().daemon().factory()));
        default -> { }
      }
    }
    FuseMount mount = FuseMount.mount(files, Path.of(arguments[0]), options);
    System.out.println("mounted 7." + mount.minorVersion());
    mount.ended().join();
  }

  /** The same file system, which answers on a thread of its own after the method of the operation has returned. */
  static FuseFileSystem answeredLater(FuseFileSystem files, ExecutorService thread) {
    return (FuseFileSystem) Proxy.newProxyInstance(MountMain.class.getClassLoader(), new Class<?>[] {FuseFileSystem.class}, (proxy, method, arguments) -> {
      Object last = arguments == null ? null : arguments[arguments.length - 1];
      if (!(last instanceof FuseReply reply)) {
        return method.invoke(files, arguments);
      }
      thread.execute(() -> {
        try {
          method.invoke(files, arguments);
        } catch (InvocationTargetException | IllegalAccessException failed) {
          failed.printStackTrace();
          reply.fail(5);
        }
      });
      return null;
    });
  }
}
