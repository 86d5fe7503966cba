package dev.weft.pvfs.fuse;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.fabric.rules.Needs;
import dev.weft.pvfs.Waits;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What POSIX and Linux ask of a file system, by a program in Python: it holds on tmpfs, and it holds on the mount. */
@Tag("client")
@Timeout(120)
class PosixCasesTest {
  private static final long BYTES = 256L << 20;

  @TempDir
  Path temporary;

  @BeforeAll
  static void assumePossible() throws Exception {
    MountedMemory.assumePossible();
    Needs.program("python3", "python3");
  }

  private Path cases() throws Exception {
    Path file = temporary.resolve("posix_cases.py");
    try (InputStream in = PosixCasesTest.class.getResourceAsStream("posix_cases.py")) {
      Files.copy(in, file);
    }
    return file;
  }

  @ParameterizedTest(name = "cache {0}, writes back: {1}, answers on another thread: {2}")
  @CsvSource({"NONE,false,false", "METADATA,false,false", "METADATA,false,true", "FULL,false,false", "FULL,true,true"})
  void shouldHoldOnTheMount(CacheMode cache, boolean writesBack, boolean answersLater) throws Exception {
    MemoryFileSystem memory = new MemoryFileSystem(BYTES);
    long free = memory.freeChunks();
    try (ExecutorService thread = Executors.newSingleThreadExecutor();
        MountedMemory mounted = MountedMemory.of(answersLater ? MountMain.answeredLater(memory, thread) : memory,
            MountedMemory.options().cache(cache).writesBack(writesBack))) {
      String said = Command.run("env", "LARGE=1", "python3", cases().toString(), mounted.path());
      assertTrue(said.endsWith("31 cases held\n"), said);
      mounted.assertQuiet();
      Command.sh("rm -r " + mounted.path() + "/*; sync");
      Waits.await(() -> memory.openCount() == 0, () -> "files are open that nobody uses");
      if (Boolean.getBoolean("weft.fuse.drop-caches")) { // The kernel forgets some inodes only when it needs memory.
        Command.sh("echo 2 > /proc/sys/vm/drop_caches");
        Waits.await(() -> memory.freeChunks() == free && memory.inodeCount() == 1, () -> "memory of files that are gone is not free");
      }
      assertEquals(0, memory.locks().heldCount() + memory.locks().waiterCount());
    }
    assertTrue(memory.isDestroyed);
  }

  @Test
  void shouldHoldOnTmpfs() throws Exception {
    Path shared = Files.createTempDirectory(Path.of("/dev/shm"), "weft-posix");
    try {
      String said = Command.run("python3", cases().toString(), shared.toString());
      assertTrue(said.endsWith("31 cases held\n"), said);
    } finally {
      Command.run("rm", "-r", shared.toString());
    }
  }
}
