package dev.weft.service.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.weft.fabric.cluster.SmallFileSystem;
import dev.weft.service.CommandFailure;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

@Tag("jvms")
class StateDirectoryTest {
  private static final CaptureKey KEY = CaptureKey.draw();

  @TempDir private Path temporary;

  private static RunState ownState() {
    return RunState.ofThisProcess(RunState.Kind.UP, "127.0.0.1:25520", URI.create("http://127.0.0.1:8558"), Path.of("/dev/shm/x"), KEY, Map.of());
  }

  @Test
  void shouldBeReadableByTheUserOnlyWhenMade() throws Exception {
    StateDirectory states = StateDirectory.open(temporary.resolve("a/b"));
    assertEquals("rwx------", PosixFilePermissions.toString(Files.getPosixFilePermissions(states.path())));
    assertEquals(states, StateDirectory.open(states.path()));
  }

  @Test
  void shouldBeRefusedWhenOthersCouldHavePutRecordsThere() throws Exception {
    Path open = Files.createDirectory(temporary.resolve("open"));
    Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rwxrwxrwx"));
    String text = assertThrows(CommandFailure.class, () -> StateDirectory.open(open)).getMessage();
    assertTrue(text.contains("can be written by others"), text);
    Path link = Files.createSymbolicLink(temporary.resolve("link"), Files.createDirectory(temporary.resolve("elsewhere")));
    assertTrue(assertThrows(CommandFailure.class, () -> StateDirectory.open(link)).getMessage().contains("is not a directory"));
  }

  @Test
  void shouldRefuseADirectoryOfMediaDriversThatIsOpenToOthers() throws Exception {
    Path open = Files.createDirectory(temporary.resolve("shared"));
    Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rwxrwxrwx"));
    Config config = ConfigFactory.parseMap(Map.of("weft.fabric.cluster.media-driver.directory", open.resolve("driver").toString()))
        .withFallback(ConfigFactory.load());
    StateDirectory states = StateDirectory.open(temporary.resolve("state"));
    String text = assertThrows(CommandFailure.class, () -> states.awaitRecords(config)).getMessage();
    assertTrue(text.contains("is open to other users (mode 777)"), text);
  }

  @Test
  void shouldSayThatThereIsNoRoomAndLeaveNothingHalfMade() throws Exception {
    try (SmallFileSystem small = SmallFileSystem.mount(temporary.resolve("small"), 1)) {
      StateDirectory states = StateDirectory.open(small.path());
      Files.createFile(small.path().resolve("room-999999999-1f")); // Of a process that was killed.
      states.requireRoom(16);
      assertEquals(List.of(), names(states));
      String tooMuch = assertThrows(CommandFailure.class, () -> states.requireRoom(65)).getMessage();
      assertTrue(tooMuch.contains(small.path() + " has 1048576 bytes free, 1064960 are needed (16384 more)"), tooMuch);
      small.fill();
      for (Executable full : List.<Executable>of(() -> states.requireRoom(1), () -> ownState().write(states.path()))) {
        String text = assertThrows(CommandFailure.class, full).getMessage();
        assertTrue(text.startsWith("cannot write to the state directory " + small.path() + ": ")
            && text.endsWith("; make room there, or set WEFT_STATE_DIR to a directory on another file system"), text);
        assertEquals(List.of("fill"), names(states));
      }
      String text = assertThrows(CommandFailure.class, () -> states.lock("up")).getMessage();
      assertTrue(text.startsWith("cannot write to the state directory " + small.path() + ": No space left on device"), text);
      small.empty();
      states.lock("up").close();
    }
  }

  private static List<String> names(StateDirectory states) throws Exception {
    try (Stream<Path> files = Files.list(states.path())) {
      return files.map(file -> file.getFileName().toString()).sorted().toList();
    }
  }

  @Test
  void shouldTellTheCaptureKeyToTheUserOnly() throws Exception {
    StateDirectory states = StateDirectory.open(temporary.resolve("keys"));
    RunState self = ownState();
    self.write(states.path());
    assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(states.path().resolve(self.fileName()))));
    assertEquals(KEY, states.all().getFirst().captureKey());
    assertFalse(self.toString().contains(KEY.text()), "not into logs");
  }

  @Test
  void shouldBeClaimedByOneAtATime() throws Exception {
    StateDirectory states = StateDirectory.open(temporary.resolve("claimed"));
    assertEquals(Optional.empty(), states.claimant("up"), "nobody ever has");
    try (StateDirectory.Lock _ = states.lock("up")) {
      assertEquals(Optional.of(ProcessHandle.current()), states.claimant("up"));
      String text = assertThrows(CommandFailure.class, () -> states.lock("up")).getMessage();
      assertTrue(text.contains("another 'weft up' (pid " + ProcessHandle.current().pid() + ")"), text);
      states.lock("detach").close();
    }
    assertEquals(Optional.empty(), states.claimant("up"), "nobody has now");
    states.lock("up").close();
    assertEquals(List.of(), states.all());
  }

  @Test
  void shouldTellProcessesThatRunFromThoseThatAreGone() throws Exception {
    StateDirectory states = StateDirectory.open(temporary.resolve("states"));
    RunState self = ownState();
    self.write(states.path());
    RunState shifted = new RunState(RunState.Kind.JOIN, self.pid(), self.startedAt().plusSeconds(1), self.address(), self.http(),
        self.driverDirectory(), KEY, Map.of());
    shifted.write(states.path());
    RunState reused = new RunState(RunState.Kind.MEMBER, self.pid(), self.startedAt().minusSeconds(60), self.address(), self.http(),
        self.driverDirectory(), KEY, Map.of());
    reused.write(states.path());
    assertEquals(List.of(self, reused, shifted), states.all());
    assertEquals(List.of(self, shifted), states.running(), "the clock may be corrected by a second, a pid is not reused so soon");
  }

  private static RunState with(RunState state, RunState.Kind kind, long pid) {
    return new RunState(kind, pid, state.startedAt(), state.address(), state.http(), state.driverDirectory(), KEY, Map.of());
  }

  private static long pidOfTheDead() throws Exception {
    Process process = new ProcessBuilder("true").start();
    assertEquals(0, process.waitFor());
    return process.pid();
  }

  @Test
  void shouldAskNobodyWhoHasEndedWhileTheFirstJvmRuns() throws Exception {
    RunState up = ownState();
    RunState living = with(up, RunState.Kind.MEMBER, up.pid());
    RunState member = with(up, RunState.Kind.MEMBER, pidOfTheDead());
    RunState join = with(up, RunState.Kind.JOIN, pidOfTheDead());
    assertEquals(List.of(member, join), StateDirectory.ended(List.of(up, living, member, join)));
    RunState killed = with(up, RunState.Kind.UP, pidOfTheDead());
    assertEquals(List.of(), StateDirectory.ended(List.of(killed, living, member)), "nobody else says that the fabric is gone");
  }

  @Test
  void shouldRemoveWhatKilledProcessesHaveLeft() throws Exception {
    StateDirectory states = StateDirectory.open(temporary.resolve("left"));
    RunState up = ownState();
    up.write(states.path());
    RunState member = with(up, RunState.Kind.MEMBER, pidOfTheDead());
    member.write(states.path());
    Path own = Files.createFile(ControlSocket.path(states, up.pid()));
    Path dead = Files.createFile(ControlSocket.path(states, pidOfTheDead()));
    Path other = Files.createFile(states.path().resolve("up-x.sock"));
    states.forgetTheDead();
    assertEquals(List.of(up), states.all());
    assertTrue(Files.exists(own) && Files.exists(other) && Files.notExists(dead));
    member.write(states.path());
    states.removeMember(member.pid());
    assertEquals(List.of(up), states.all());
  }
}
