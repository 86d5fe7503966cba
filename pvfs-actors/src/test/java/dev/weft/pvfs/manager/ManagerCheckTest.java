package dev.weft.pvfs.manager;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import akka.actor.testkit.typed.javadsl.TestProbe;
import com.typesafe.config.ConfigFactory;
import dev.weft.hca.node.LocalFabric;
import dev.weft.hca.node.Node;
import dev.weft.hca.node.RoleContext;
import dev.weft.pvfs.Errno;
import dev.weft.pvfs.Waits;
import dev.weft.pvfs.client.DaemonAddress;
import dev.weft.pvfs.layout.StripingWish;
import dev.weft.pvfs.meta.MetaClient;
import dev.weft.pvfs.store.MemoryDisk;
import dev.weft.pvfs.wire.Caller;
import dev.weft.pvfs.wire.MetaOp;
import dev.weft.pvfs.wire.MetaReply;
import dev.weft.pvfs.wire.MetaRequest;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A check of all metadata by a manager on the hardware's thread: it is done by another one, and all others wait. */
@Tag("actor")
@Timeout(180)
class ManagerCheckTest {
  private static final String SERVICE = "pvfs-manager";
  private static final Duration PATIENCE = Duration.ofSeconds(90);

  private final LocalFabric fabric = LocalFabric.start(ConfigFactory.parseString("weft.hca.pin-memory = false"));
  private final Node node = fabric.addNode("manager");
  private final BlockingQueue<Runnable> checks = new ArrayBlockingQueue<>(2);
  private final TestProbe<Checked> probe = TestProbe.create(fabric.system());
  private final Manager manager = start();
  private final MetaClient client =
      MetaClient.start(fabric, fabric.addNode("client"), "client", new DaemonAddress("manager", SERVICE), fabric.config());

  private Manager start() {
    KeptNameSpace kept = KeptNameSpace.open(new MemoryDisk("metadata")::open, null, 1, StripingWish.NONE, System::nanoTime, System::nanoTime);
    NameSpaceHandler handler = new NameSpaceHandler(kept, List.of("io pvfs-io"), System::nanoTime, 60_000_000_000L, new IdleEffects());
    return Manager.start(node, SERVICE, ManagerSettings.from(fabric.config()), RoleContext.ISR, checks::add, handler);
  }

  @AfterEach
  void close() {
    fabric.close();
  }

  private CompletableFuture<MetaReply> make(String name) {
    CompletableFuture<MetaReply> answer = new CompletableFuture<>();
    assertTrue(client.tryAsk(MetaRequest.of(MetaOp.MKDIR, Caller.ROOT, Inode.ROOT, 0755).named(name), answer::complete));
    return answer;
  }

  private Runnable beginCheck() throws InterruptedException {
    manager.actor().tell(new ManagerActor.Check(false, probe.getRef()));
    Runnable check = checks.poll(90, TimeUnit.SECONDS);
    assertTrue(check != null, "a check has begun");
    return check;
  }

  @Test
  void shouldServeWhoCameMeanwhileBehindACheck() throws InterruptedException {
    assertEquals(Errno.OK, fabric.await(make("before"), PATIENCE).errno());
    Runnable check = beginCheck();
    List<CompletableFuture<MetaReply>> waiting = List.of(make("a"), make("b"), make("a"));
    manager.actor().tell(new ManagerActor.Check(false, probe.getRef()));
    assertFalse(fabric.await(() -> waiting.stream().anyMatch(CompletableFuture::isDone) || checks.peek() != null, Duration.ofMillis(300)));
    check.run();
    assertEquals(List.of(), probe.receiveMessage(PATIENCE).findings());
    checks.poll(90, TimeUnit.SECONDS).run(); // It may have come to the manager before the requests.
    assertEquals(List.of(), probe.receiveMessage(PATIENCE).findings());
    assertEquals(Errno.OK, fabric.await(waiting.get(0), PATIENCE).errno());
    assertEquals(Errno.OK, fabric.await(waiting.get(1), PATIENCE).errno());
    assertEquals(Errno.EEXIST, fabric.await(waiting.get(2), PATIENCE).errno());
    assertEquals(Errno.OK, fabric.await(make("after"), PATIENCE).errno());
  }

  @Test
  void shouldStopBehindACheck() throws InterruptedException {
    Runnable check = beginCheck();
    manager.stop();
    assertFalse(fabric.await(() -> manager.stopped().toCompletableFuture().isDone(), Duration.ofMillis(200)));
    check.run();
    probe.receiveMessage(PATIENCE);
    fabric.await(manager.stopped().toCompletableFuture(), PATIENCE);
  }

  @Test
  void shouldRunOnTheHardwaresThreadOnlyWhereItsStoreWaitsForNothing() {
    ManagerSettings auto = ManagerSettings.from(fabric.config());
    assertEquals(RoleContext.ISR, auto.contextOf(RoleContext.ISR));
    assertEquals(RoleContext.BLOCKING, auto.contextOf(RoleContext.BLOCKING));
    ManagerSettings process = ManagerSettings.from(ConfigFactory.parseString("weft.pvfs.manager.context = process").withFallback(fabric.config()));
    assertEquals(RoleContext.PROCESS, process.contextOf(RoleContext.BLOCKING));
    ManagerSettings isr = ManagerSettings.from(ConfigFactory.parseString("weft.pvfs.manager.context = isr").withFallback(fabric.config()));
    assertTrue(assertThrows(IllegalArgumentException.class, () -> isr.contextOf(RoleContext.BLOCKING)).getMessage().contains("must be auto or blocking"));
    ManagerSettings.from(ConfigFactory.parseString("weft.pvfs.manager.context = blocking").withFallback(fabric.config())).contextOf(RoleContext.BLOCKING);
    assertEquals("weft.pvfs.manager.context is fast, must be one of auto, isr, task-queue, process, polling, blocking",
        assertThrows(IllegalArgumentException.class, () -> Manager.checkSettings(
            ConfigFactory.parseString("weft.pvfs.manager.context = fast").withFallback(fabric.config()), false)).getMessage());
    Waits.ask(fabric, manager::inspect);
  }
}
