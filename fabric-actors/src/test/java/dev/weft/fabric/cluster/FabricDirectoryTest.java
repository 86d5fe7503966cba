package dev.weft.fabric.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.typesafe.config.ConfigFactory;
import dev.weft.fabric.files.OtherUser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.agrona.IoUtil;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("jvms")
class FabricDirectoryTest {
  private Path parent;
  private MediaDriverSettings like;

  @BeforeEach
  void choose() throws Exception {
    parent = Files.createTempDirectory(Path.of("/dev/shm"), "weft-test-");
    like = MediaDriverSettings.of(ConfigFactory.load()).withDirectory(parent.resolve("own/weft"));
  }

  @AfterEach
  void clean() {
    IoUtil.delete(parent.toFile(), true);
  }

  private List<Path> left() throws Exception {
    try (Stream<Path> files = Files.list(parent.resolve("own"))) {
      return files.toList();
    }
  }

  @Test
  void shouldSayWhereThereIsNoRoomForItsAddress() throws Exception {
    try (SmallFileSystem small = SmallFileSystem.mount(parent.resolve("small"), 1);
        FabricDirectory full = FabricDirectory.create(like.withDirectory(small.path().resolve("weft")))) {
      small.fill();
      String text = assertThrows(IOException.class, () -> full.announce("127.0.0.1:1", null)).getMessage();
      assertTrue(text.startsWith(full.path() + ".owner cannot be written: No space left on device; make room there, make it larger (for a container:"
          + " --shm-size), or name a directory"), text);
    }
  }

  @Test
  void shouldGiveEachFabricItsOwnAndRemoveAllOfIt() throws Exception {
    FabricDirectory one = FabricDirectory.create(like);
    try (FabricDirectory other = FabricDirectory.create(like)) {
      assertNotEquals(one.path(), other.path());
      MediaDriverProcess.startOrAttach(like.withDirectory(one.path()));
      MediaDriverProcess.startOrAttach(like.withDirectory(other.path()));
      one.announce("127.0.0.1:1", null);
      other.announce("127.0.0.1:2", null);
      one.close();
      assertFalse(MediaDriverProcess.isAlive(one.path()));
      assertTrue(MediaDriverProcess.isAlive(other.path()), "it does not depend on the first one");
    }
    assertEquals(List.of(), left());
  }

  /** A JVM that was killed holds no lock any more, and its driver is without an owner. */
  @Test
  void shouldRemoveWhatAKilledFabricHasLeft() throws Exception {
    FabricDirectory live = FabricDirectory.create(like);
    Path dead = like.directory().resolveSibling("weft-1-dead");
    MediaDriverProcess driver = MediaDriverProcess.startOrAttach(like.withDirectory(dead));
    Files.writeString(dead.resolveSibling("weft-1-dead.owner"), "127.0.0.1:9\n");
    assertEquals(dead, FabricDirectory.find(like, "127.0.0.1:9"));
    assertNull(FabricDirectory.find(like, "127.0.0.1:8"));
    try (FabricDirectory next = FabricDirectory.create(like)) {
      assertFalse(ProcessWatch.isAlive(driver.pid()));
      assertEquals(Set.of(live.path() + ".owner", next.path() + ".owner"),
          Set.copyOf(left().stream().map(Path::toString).toList()), "what lives stays");
    }
    live.close();
  }

  @Test
  void shouldNotFindADriverInAnotherNetworkNamespace() throws Exception {
    Process other = new ProcessBuilder("unshare", "--net", "sleep", "600").inheritIO().start();
    try {
      Path own = Files.readSymbolicLink(Path.of("/proc/self/ns/net"));
      Path theirs = Path.of("/proc", Long.toString(other.pid()), "ns/net");
      while (other.isAlive() && Files.readSymbolicLink(theirs).equals(own)) {
        Thread.onSpinWait();
      }
      assumeTrue(other.isAlive(), "this user may not make a network namespace");
      Path directory = like.directory().resolveSibling("weft-" + other.pid() + "-ab");
      MediaDriverProcess.startOrAttach(like.withDirectory(directory));
      Files.writeString(directory.resolveSibling(directory.getFileName() + ".owner"), "127.0.0.1:9\n");
      assertNull(FabricDirectory.find(like, "127.0.0.1:9"), "its driver has other addresses");
      MediaDriverProcess.stopAndRemove(directory);
    } finally {
      other.destroyForcibly();
    }
  }

  @Test
  void shouldNameTheLivingFirstJvmsOfAStateDirectory() throws Exception {
    Path home = Path.of("/tmp/some-state");
    Path owner = like.directory().resolveSibling("weft-4711-ab.owner");
    try (FabricDirectory own = FabricDirectory.create(like)) {
      own.announce("127.0.0.1:1", home);
      Files.writeString(owner, "127.0.0.1:2\n" + home + "\n");
      assertEquals(List.of(), FabricDirectory.firstJvms(like, home), "not this one, and not one that nobody locks");
      String lock = "import fcntl,sys; f=open(sys.argv[1],'r+'); fcntl.lockf(f,fcntl.LOCK_EX); print('locked',flush=True); sys.stdin.read()";
      Process holder = new ProcessBuilder("bash", "-c", "exec python3 -c \"$0\" \"$1\"", lock, owner.toString())
          .redirectError(ProcessBuilder.Redirect.INHERIT).start();
      try {
        assertEquals("locked", holder.inputReader().readLine());
        assertEquals(List.of(4711L), FabricDirectory.firstJvms(like, home));
        assertEquals(List.of(), FabricDirectory.firstJvms(like, Path.of("/tmp/another-state")));
      } finally {
        holder.destroyForcibly().waitFor();
      }
    }
  }

  @Test
  void shouldBeReadByNobodyElseWhateverTheUmaskIs() throws Exception {
    try (FabricDirectory own = FabricDirectory.create(like)) {
      MediaDriverProcess.startOrAttach(like.withDirectory(own.path()));
      try (Stream<Path> all = Files.walk(parent.resolve("own"))) {
        List<Path> open = all.filter(FabricDirectoryTest::isOpen).toList();
        assertEquals(List.of(), open);
      }
      OtherUser.assumeAvailable();
      assertNotEquals(0, OtherUser.run("cat", own.path().resolve("cnc.dat").toString()));
    }
  }

  private static boolean isOpen(Path path) {
    try {
      return Files.getPosixFilePermissions(path).stream().anyMatch(right -> right.compareTo(PosixFilePermission.GROUP_READ) >= 0);
    } catch (IOException e) {
      return true;
    }
  }

  @Test
  void shouldRefuseADirectoryThatAnotherUserHasMadeFirst() throws Exception {
    OtherUser.assumeAvailable();
    Files.setAttribute(parent, "unix:mode", 01777);
    OtherUser.makeDirectory(parent.resolve("own"));
    String text = assertThrows(IOException.class, () -> FabricDirectory.create(like)).getMessage();
    assertTrue(text.contains("own belongs to nobody") && text.contains("weft.fabric.cluster.media-driver.directory"), text);
    assertThrows(IOException.class, () -> MediaDriverProcess.startOrAttach(like));
    assertThrows(IOException.class, () -> FabricDirectory.find(like, "127.0.0.1:1"));
    assertEquals(List.of(), left(), "nothing was put into it");
  }
}
