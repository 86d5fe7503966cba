package dev.weft.pvfs.service;

import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.WRITE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.fabric.rules.OwnThread;
import dev.weft.pvfs.check.FileSystemCheck;
import dev.weft.pvfs.check.Report;
import dev.weft.pvfs.files.FileSystemCluster;
import dev.weft.pvfs.files.PvfsFile;
import dev.weft.pvfs.files.PvfsFileSystem;
import dev.weft.pvfs.wire.Caller;
import dev.weft.service.Asker;
import dev.weft.service.CommandFailure;
import dev.weft.service.process.ControlSocket;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Tag("actor")
@Timeout(180)
class ChecksTest {
  private static final Asker STAYS = _ -> { };

  @TempDir private Path directory;
  private final Checks checks = new Checks();
  private final CountDownLatch hasBegun = new CountDownLatch(1);
  private final CountDownLatch hasEnded = new CountDownLatch(1);

  private List<String> check(FileSystemCluster cluster, PvfsFileSystem files, String process, Asker asker) {
    try (Checks.Turn turn = checks.begin(process, asker); FileSystemCheck check = cluster.check(files)) {
      turn.endBy(check::end);
      hasBegun.countDown();
      Report report = check.run(new FileSystemCheck.Wish(false, false, true));
      return List.of(Integer.toString(report.files()));
    } catch (CancellationException ended) {
      hasEnded.countDown();
      throw new CommandFailure(ended.getMessage(), ended);
    }
  }

  /** Its I/O daemon does not answer: without an end it would wait for that. */
  @Test
  void shouldEndACheckWhoseCommandIsKilledAndLetTheNextOneIn() throws Exception {
    Path path = directory.resolve("s");
    try (FileSystemCluster cluster = new FileSystemCluster(1, "weft.pvfs.client.patience = 1 h")) {
      PvfsFileSystem files = cluster.connect(Caller.ROOT);
      try (PvfsFile file = files.open("/f", CREATE, WRITE)) {
        file.write(Arena.ofAuto().allocate(100), 0);
      }
      cluster.fabric.closeNode("io-0");
      try (ControlSocket _ = ControlSocket.open(path, Map.of("fsck", (words, asker) -> check(cluster, files, words.getFirst(), asker)))) {
        try (SocketChannel killed = SocketChannel.open(UnixDomainSocketAddress.of(path))) {
          killed.write(ByteBuffer.wrap("fsck\t4711\n".getBytes(StandardCharsets.UTF_8)));
          assertTrue(hasBegun.await(90, TimeUnit.SECONDS));
          String refusal = assertThrows(CommandFailure.class, () -> ControlSocket.ask(path, List.of("fsck", "1"))).getMessage();
          assertTrue(refusal.matches("another check of the file system is under way since 2[-0-9]*T[0-9:]+ \\([0-9]+ s\\), asked for by process 4711; "
              + "wait for its end, or end it by 'kill 4711'"), refusal);
        }
        CompletableFuture<List<String>> next = CompletableFuture.supplyAsync(() -> {
          while (true) {
            try {
              return ControlSocket.ask(path, List.of("fsck", "2"));
            } catch (CommandFailure notYet) {
              assertTrue(hasEnded.getCount() > 0, notYet.getMessage()); // That the first command has gone is not seen at once.
            } catch (IOException failed) {
              throw new AssertionError(failed);
            }
          }
        }, OwnThread::run);
        assertTrue(hasEnded.await(90, TimeUnit.SECONDS), "its daemon is still away");
        cluster.restartDaemon(0);
        assertEquals(List.of("1"), next.get(90, TimeUnit.SECONDS));
      }
    }
  }

  @Test
  void shouldEndACheckWhoseCommandWentBeforeItBegan() {
    AtomicInteger ended = new AtomicInteger();
    Asker gone = Runnable::run;
    try (Checks.Turn turn = checks.begin("1", gone)) {
      turn.endBy(ended::incrementAndGet);
      assertEquals(1, ended.get());
    }
    checks.begin("2", STAYS).close();
  }

  @Test
  void shouldLetTheNextOneWaitForTheEndOfOneWhoseCommandHasGone() throws Exception {
    Runnable[] goes = new Runnable[1];
    Checks.Turn turn = checks.begin("1", action -> goes[0] = action);
    CountDownLatch isToEnd = new CountDownLatch(1);
    turn.endBy(isToEnd::countDown);
    assertThrows(CommandFailure.class, () -> checks.begin("2", STAYS));
    goes[0].run();
    assertTrue(isToEnd.await(1, TimeUnit.SECONDS));
    CompletableFuture<Void> next = CompletableFuture.runAsync(() -> checks.begin("3", STAYS).close(), OwnThread::run);
    turn.close();
    next.get(90, TimeUnit.SECONDS);
    goes[0].run(); // It is over already.
  }
}
