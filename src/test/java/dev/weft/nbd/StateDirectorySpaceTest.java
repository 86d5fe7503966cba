package dev.weft.nbd;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.fabric.rules.Needs;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A state directory on a file system that is too small: a tmpfs in a mount namespace of the test's own. */
@Tag("jvms")
class StateDirectorySpaceTest {
  private static final List<String> SMALL = List.of("unshare", "-rm", "sh", "-c", "mount -t tmpfs -o size=4k,mode=700 tmpfs \"$WEFT_STATE_DIR\" || exit 99;"
      + " [ $# = 0 ] && exit; \"$@\"; code=$?; echo \"left: $(ls -A \"$WEFT_STATE_DIR\" | tr '\\n' ' ')\" >&2; exit $code", "sh");

  @TempDir private Path directory;

  @ParameterizedTest
  @ValueSource(strings = {"--jvms=1", "--jvms=2", "--detach"})
  @Timeout(400)
  void shouldSayThatThereIsNoRoomBeforeAnythingIsStarted(String how) throws Exception {
    ProcessBuilder mount = new ProcessBuilder(SMALL).inheritIO();
    mount.environment().put("WEFT_STATE_DIR", directory.toString());
    Process process = mount.start();
    Needs.that(process.waitFor(90, TimeUnit.SECONDS) && process.exitValue() == 0, "unshare and mount do not work here; they take root or user namespaces");
    try (WeftProcess weft = new WeftProcess(SMALL, "")) {
      WeftProcess.Answer answer = weft.run("up", "--servers=1", "--memory=1M", "--nbd=unix:" + directory.resolve("weft.sock"), "--http=127.0.0.1:0", how);
      assertEquals(1, answer.exitCode(), answer.out() + answer.err());
      int needed = how.equals("--jvms=2") ? 32768 : 16384;
      assertEquals(List.of("weft: cannot write to the state directory " + weft.stateDirectory() + ": the file system of " + weft.stateDirectory()
          + " has 4096 bytes free, " + needed + " are needed (" + (needed - 4096) + " more); make room there, or set WEFT_STATE_DIR to a directory on another"
          + " file system", "left: "), answer.err().lines().toList());
      assertTrue(answer.out().isEmpty(), answer.out());
    }
  }
}
