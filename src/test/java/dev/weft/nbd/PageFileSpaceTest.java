package dev.weft.nbd;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.fabric.rules.Needs;
import dev.weft.pager.nbd.NbdClients;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Memory that is not pinned, whose page file lies on a small file system: a tmpfs in a mount namespace of the test's own. */
@Tag("client")
class PageFileSpaceTest {
  private static final int WRITTEN_BYTES = 48 << 20;

  @TempDir private Path directory;
  private Path mountPoint;

  @BeforeEach
  void checkNamespaces() throws Exception {
    mountPoint = Files.createDirectory(directory.resolve("pages"));
    Process mount = new ProcessBuilder(mounting("16m")).inheritIO().start();
    boolean works = mount.waitFor(90, TimeUnit.SECONDS) && mount.exitValue() == 0;
    Needs.that(works, "unshare and mount do not work here; they take root or user namespaces");
    NbdClients.need("nbdcopy");
  }

  /** Begins a command in a namespace with a tmpfs of that size at the mount point; by itself it does nothing more. */
  private List<String> mounting(String size) {
    return List.of("unshare", "-rm", "sh", "-c", "mount -t tmpfs -o size=" + size + " tmpfs '" + mountPoint + "' && if [ $# -gt 0 ]; then exec \"$@\"; fi",
        "sh");
  }

  private WeftProcess weft(String size) throws Exception {
    return new WeftProcess(mounting(size), "-Dweft.pager.server.page-file-directory=" + mountPoint);
  }

  private static WeftProcess.Answer up(WeftProcess weft) throws Exception {
    return weft.run("up", "--servers=1", "--memory=64M", "--registration=unpinned", "--resident=4M", "--nbd=127.0.0.1:0",
        "--http=127.0.0.1:0", "--detach");
  }

  @Test
  @Timeout(400)
  void shouldRefuseToLendMoreThanThePageFileHasRoomFor() throws Exception {
    try (WeftProcess weft = weft("20m")) {
      WeftProcess.Answer answer = up(weft);
      assertEquals(1, answer.exitCode(), answer.out() + answer.err());
      assertTrue(answer.err().contains(mountPoint.toString()) && answer.err().contains((64 << 20) + " are needed")
          && answer.err().contains("weft.pager.server.page-file-directory"), answer.err());
    }
  }

  @Test
  @Timeout(400)
  void shouldPassOnTheReasonOfAMemberThatCannotStart() throws Exception {
    try (WeftProcess weft = weft("20m")) {
      WeftProcess.Answer answer = weft.run("up", "--jvms=3", "--servers=2", "--memory=64M", "--registration=unpinned", "--resident=4M",
          "--nbd=127.0.0.1:0", "--http=127.0.0.1:0");
      assertEquals(1, answer.exitCode(), answer.out() + answer.err());
      assertTrue(answer.err().lines().anyMatch(line -> line.matches("weft: member-[12] \\(pid [0-9]+\\) ended: the memory server of memory-[12] "
          + "could not create its page file: .*" + (64 << 20) + " are needed.*; its log is .*member-[12]\\.log")), answer.err());
    }
  }

  @Test
  @Timeout(400)
  void shouldKeepAllThatAFlushHasToldToBeSafeOnAFileSystemThatJustHoldsIt() throws Exception {
    byte[] data = new byte[WRITTEN_BYTES];
    new Random(14).nextBytes(data);
    Path from = Files.write(directory.resolve("from"), data);
    Path to = directory.resolve("to");
    try (WeftProcess weft = weft("65m")) {
      WeftProcess.Answer answer = up(weft);
      assertEquals(0, answer.exitCode(), answer.out() + answer.err() + weft.logs());
      copy("--flush", from.toString(), weft.nbd());
      copy(weft.nbd(), to.toString());
      byte[] back = new byte[WRITTEN_BYTES];
      try (var in = Files.newInputStream(to)) {
        assertEquals(WRITTEN_BYTES, in.readNBytes(back, 0, WRITTEN_BYTES));
      }
      assertArrayEquals(data, back);
    }
  }

  private void copy(String... arguments) throws Exception {
    Path log = directory.resolve("nbdcopy.log");
    ProcessBuilder builder = new ProcessBuilder("nbdcopy");
    builder.command().addAll(List.of(arguments));
    Process process = builder.redirectErrorStream(true).redirectOutput(log.toFile()).start();
    assertTrue(process.waitFor(200, TimeUnit.SECONDS), "nbdcopy hangs");
    assertEquals(0, process.exitValue(), Files.readString(log));
  }
}
