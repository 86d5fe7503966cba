package dev.weft.service.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.ProcessBuilder.Redirect;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What becomes of a state directory that somebody empties, or removes, while a fabric runs. */
@Tag("jvms")
@Timeout(180)
class StateKeeperTest {
  @TempDir private Path temporary;

  private static RunState ownState() {
    return RunState.ofThisProcess(RunState.Kind.UP, "127.0.0.1:25520", URI.create("http://127.0.0.1:8558"), Path.of("/dev/shm/x"),
        CaptureKey.draw(), Map.of());
  }

  private static void await(StateDirectory states, String what, Callable<Boolean> condition) throws Exception {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (!condition.call()) {
      assertTrue(System.nanoTime() < end, "waited 60 s for " + what + "; there is " + (Files.exists(states.path()) ? names(states) : "no directory"));
      Thread.sleep(20);
    }
  }

  private static List<String> names(StateDirectory states) throws Exception {
    try (Stream<Path> files = Files.list(states.path())) {
      return files.map(file -> file.getFileName().toString()).sorted().toList();
    }
  }

  private static void empty(StateDirectory states) throws Exception {
    for (String name : names(states)) {
      Files.delete(states.path().resolve(name));
    }
  }

  @Test
  void shouldRestoreTheRecordTheSocketTheClaimAndTheKeys() throws Exception {
    StateDirectory states = StateDirectory.open(temporary.resolve("states"));
    Files.writeString(states.path().resolve("pvfs.key"), "0123");
    RunState self = ownState();
    Path path = ControlSocket.path(states, self.pid());
    try (StateDirectory.Lock claim = states.lock("up");
        ControlSocket socket = ControlSocket.open(path, Map.of("say", (words, _) -> List.of("said " + words)))) {
      try (StateKeeper keeper = StateKeeper.start(states, self)) {
        keeper.keep(claim);
        keeper.keep(socket);
        for (boolean isRemoved : new boolean[] {false, true}) {
          empty(states);
          if (isRemoved) {
            Files.delete(states.path());
          }
          await(states, "all to be restored", () -> Files.exists(states.path()) && names(states).containsAll(
              List.of("pvfs.key", self.fileName(), path.getFileName().toString(), "up.lock")));
          assertEquals(List.of(self), states.running());
          await(states, "the socket to answer", () -> ControlSocket.ask(path, List.of("say", "a")).equals(List.of("said [a]")));
          await(states, "the claim", () -> states.claimant("up").equals(Optional.of(ProcessHandle.current())));
        }
      }
      assertTrue(Files.notExists(states.path().resolve(self.fileName())), "its own end is none to be repaired");
    }
    assertEquals(List.of("pvfs.key", "up.lock"), names(states));
    assertEquals(Optional.empty(), states.claimant("up"));
  }

  @Test
  void shouldLockTheDirectoryForTheSakeOfThoseWhoCleanUp() throws Exception {
    StateDirectory states = StateDirectory.open(temporary.resolve("locked"));
    try (StateKeeper _ = StateKeeper.start(states, ownState())) {
      assertEquals(1, tryExclusively(states), "systemd-tmpfiles leaves it alone");
      assertEquals(List.of(ProcessHandle.current().pid()), DirectoryLock.holders(states.path()));
      empty(states);
      Files.delete(states.path());
      await(states, "the new directory to be locked", () -> Files.exists(states.path()) && tryExclusively(states) == 1);
    }
    assertEquals(0, tryExclusively(states));
    assertEquals(List.of(), DirectoryLock.holders(states.path()));
  }

  @Test
  void shouldLockTheDirectoryWhenAnotherProgramReleasesIt() throws Exception {
    StateDirectory states = StateDirectory.open(temporary.resolve("cleaned"));
    Process cleaner = new ProcessBuilder("flock", "--exclusive", states.path().toString(), "cat").redirectOutput(Redirect.DISCARD).start();
    try {
      await(states, "the other program's lock", () -> tryExclusively(states) == 1);
      try (StateKeeper _ = StateKeeper.start(states, ownState())) {
        cleaner.getOutputStream().close();
        await(states, "the directory to be locked",
            () -> DirectoryLock.holders(states.path()).contains(ProcessHandle.current().pid()));
      }
    } finally {
      cleaner.destroy();
    }
  }

  /** As tmpfiles.d(5) says that it is done. */
  private static int tryExclusively(StateDirectory states) throws Exception {
    return new ProcessBuilder("flock", "--exclusive", "--nonblock", states.path().toString(), "true").inheritIO().start().waitFor();
  }

  @Test
  void shouldRestoreTheSocketOfAProcessWithoutARecord() throws Exception {
    StateDirectory states = StateDirectory.open(temporary.resolve("client"));
    Path path = states.path().resolve("client.sock");
    try (ControlSocket _ = ControlSocket.openKept(path, Map.of("say", (words, _) -> List.of("said " + words)))) {
      Files.delete(path);
      await(states, "the socket", () -> Files.exists(path));
      await(states, "its answer", () -> ControlSocket.ask(path, List.of("say", "b")).equals(List.of("said [b]")));
    }
    assertEquals(List.of(), names(states));
  }
}
