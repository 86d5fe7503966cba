package dev.weft.service.process;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.fabric.files.OwnUser;
import dev.weft.fabric.rules.Needs;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Tag("jvms")
@Timeout(180)
class JobDirectoriesTest {
  @TempDir
  private Path parent;

  private Path left(String name, String owner) throws Exception {
    Path directory = Files.createDirectories(parent.resolve(name).resolve("driver")).getParent();
    if (owner != null) {
      Files.writeString(directory.resolve("owner.pid"), owner);
    }
    return directory;
  }

  @Test
  void shouldRemoveWhatAProcessLeftThatHasEndedAndNothingElse() throws Exception {
    String dead = dead();
    Path left = left("weft-dsm-1", dead);
    Path ofAnotherJob = left("weft-mpi-1", dead);
    Path unknown = left("weft-dsm-2", null);
    Path odd = left("weft-dsm-3", "-1");
    Path own = JobDirectories.make(parent, "dsm");
    assertTrue(Files.exists(left), "what it has started may live for a while");
    clean();
    assertFalse(Files.exists(left));
    for (Path kept : new Path[] {ofAnotherJob, unknown, odd, own}) {
      assertTrue(Files.isDirectory(kept), kept.toString());
    }
  }

  private static String dead() throws Exception {
    Process ended = new ProcessBuilder("true").start();
    ended.waitFor();
    return Long.toString(ended.pid());
  }

  private void clean() {
    JobDirectories.clean(parent, "dsm", Instant.now().plusSeconds(1));
  }

  @Test
  void shouldKeepWhatALinkInALeftDirectoryLeadsTo() throws Exception {
    Path precious = Files.writeString(Files.createDirectory(parent.resolve("precious")).resolve("file"), "text");
    Path left = left("weft-dsm-1", dead());
    Files.createSymbolicLink(left.resolve("driver").resolve("link"), precious.getParent());
    Path toOthers = Files.createSymbolicLink(parent.resolve("weft-dsm-2"), precious.getParent());
    Files.writeString(precious.resolveSibling("owner.pid"), dead());
    clean();
    assertFalse(Files.exists(left));
    assertTrue(Files.exists(precious), "what a link leads to stays");
    assertTrue(Files.isSymbolicLink(toOthers));
  }

  @Test
  void shouldKeepAnotherUsersDirectory() throws Exception {
    Needs.that(OwnUser.id() == 0, "only root gives a directory away");
    Path theirs = left("weft-dsm-1", dead());
    Path own = left("weft-dsm-2", dead());
    Files.setAttribute(theirs, "unix:uid", 65_534);
    clean();
    assertTrue(Files.isDirectory(theirs), "root deletes nothing that another user could have made up");
    assertFalse(Files.exists(own), "one that stays does not keep the others");
  }

  @Test
  void shouldNotReadAnOwnerThatIsNoFile() throws Exception {
    Path odd = left("weft-dsm-1", null);
    Files.createSymbolicLink(odd.resolve("owner.pid"), Files.writeString(parent.resolve("pid"), dead()));
    clean();
    assertTrue(Files.isDirectory(odd));
  }
}
