package dev.weft.tripwire.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import akka.actor.PoisonPill;
import akka.actor.typed.ActorRef;
import akka.actor.typed.javadsl.Adapter;
import akka.actor.typed.javadsl.Behaviors;
import com.typesafe.config.ConfigFactory;
import dev.weft.hca.node.LocalFabric;
import dev.weft.hca.node.Node;
import dev.weft.tripwire.nic.DmaQueue;
import dev.weft.tripwire.nic.Nic;
import dev.weft.tripwire.nic.NicException;
import dev.weft.tripwire.nic.RemoteAperture;
import dev.weft.tripwire.nic.Rights;
import dev.weft.tripwire.nic.Status;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What is asked of a NIC by other threads: it is done when asked, or not at all, and nobody waits for one that has ended. */
@Tag("slow")
@Tag("actor")
@Timeout(180)
class ControlTest {
  /** A role that keeps the hardware thread until {@code go}. */
  private static void block(Node node, CountDownLatch go) throws InterruptedException {
    CountDownLatch begun = new CountDownLatch(1);
    node.spawnRole(Behaviors.setup(context -> {
      begun.countDown();
      go.await();
      return Behaviors.empty();
    }), "blocking");
    begun.await();
  }

  private static void end(ActorRef<?> actor) {
    Adapter.toClassic(actor).tell(PoisonPill.getInstance(), akka.actor.ActorRef.noSender());
  }

  @Test
  void shouldNotDoLaterWhatTheHardwareThreadDidNotTakeUpInTime() throws Exception {
    try (LocalFabric fabric = LocalFabric.start(ConfigFactory.parseString("weft.tripwire.control-timeout = 5 s"));
        Arena arena = Arena.ofShared()) {
      Node node = fabric.addNode("n");
      Nic nic = NicDevice.start(fabric, node);
      CountDownLatch go = new CountDownLatch(1);
      block(node, go);
      try {
        assertEquals(Status.UNRESPONSIVE, assertThrows(NicException.class, () -> nic.export(arena.allocate(64, 8))).status());
        Thread.currentThread().interrupt();
        assertEquals(Status.UNRESPONSIVE, assertThrows(NicException.class, () -> nic.export(arena.allocate(64, 8))).status());
        assertTrue(Thread.interrupted(), "the interrupt is kept");
      } finally {
        go.countDown();
      }
      assertEquals(0, nic.inspect().apertures().size());
      nic.export(arena.allocate(64, 8));
      assertEquals(1, nic.inspect().apertures().size());
    }
  }

  @Test
  void shouldWakeWhoWaitsWhenItsActorEnds() throws Exception {
    try (LocalFabric fabric = LocalFabric.start(ConfigFactory.parseString("weft.tripwire.control-timeout = 600 s"));
        Arena arena = Arena.ofShared()) {
      Node node = fabric.addNode("n");
      Nic nic = NicDevice.start(fabric, node);
      CountDownLatch go = new CountDownLatch(1);
      block(node, go);
      end(nic.actor());
      CompletableFuture<Status> outcome = new CompletableFuture<>();
      Thread waiting = Thread.ofPlatform().start(() -> {
        try {
          nic.export(arena.allocate(64, 8));
          outcome.complete(Status.OK);
        } catch (NicException refused) {
          outcome.complete(refused.status());
        }
      });
      while (waiting.getState() != Thread.State.TIMED_WAITING) { // Its question lies behind what ends the actor.
        assertTrue(waiting.isAlive(), "it did not wait");
        Thread.onSpinWait();
      }
      go.countDown();
      assertEquals(Status.INVALID, outcome.get(90, TimeUnit.SECONDS));
    }
  }

  /** The switch ends first, as it may where a fabric is closed: what it had to send on is not given back. */
  @Test
  void shouldEndTransfersWhoseBytesTheFabricDoesNotGiveBack() throws Exception {
    try (LocalFabric fabric = LocalFabric.start(ConfigFactory.empty()); Arena arena = Arena.ofShared()) {
      Nic near = NicDevice.start(fabric, fabric.addNode("near"));
      Nic far = NicDevice.start(fabric, fabric.addNode("far"));
      MemorySegment memory = arena.allocate(1 << 16, 64);
      RemoteAperture mapping = near.map(far.export(memory).descriptor(Rights.ALL));
      DmaQueue dma = near.endpoint(0).dma();
      List<Status> told = new CopyOnWriteArrayList<>();
      dma.onDone((userData, status) -> told.add(status));
      CountDownLatch go = new CountDownLatch(1);
      block(near.node(), go);
      try {
        end(fabric.leafSwitch());
        for (int i = 0; i < 64; i++) {
          assertTrue(dma.write(mapping, 0, memory, 0, 1 << 16, i));
        }
        end(near.actor());
      } finally {
        go.countDown();
      }
      assertTrue(fabric.help(() -> dma.done() == 64, 90_000_000_000L), () -> dma.done() + " of 64 were told done");
      assertEquals(Collections.nCopies(64, Status.INVALID), told);
    }
  }

  /** In the middle of sending: the transfers behind it end all the same. */
  @Test
  void shouldEndTransfersWhenItsActorFailsWhileItSends() throws Exception {
    try (LocalFabric fabric = LocalFabric.start(ConfigFactory.empty()); Arena arena = Arena.ofShared()) {
      Nic near = NicDevice.start(fabric, fabric.addNode("near"));
      Nic far = NicDevice.start(fabric, fabric.addNode("far"));
      MemorySegment memory = arena.allocate(64, 64);
      RemoteAperture mapping = near.map(far.export(memory).descriptor(Rights.ALL));
      AtomicBoolean hasFailed = new AtomicBoolean();
      DmaQueue dma = near.endpoint(0).dma().onSent((userData, status) -> {
        if (!hasFailed.getAndSet(true)) {
          throw new AssertionError("on purpose");
        }
      });
      CountDownLatch go = new CountDownLatch(1);
      block(near.node(), go);
      Thread unmapping = Thread.ofPlatform().start(mapping::unmap);
      try {
        while (unmapping.getState() != Thread.State.TIMED_WAITING) { // The NIC unmaps it before it looks at what is written there.
          assertTrue(unmapping.isAlive(), "it did not wait");
          Thread.onSpinWait();
        }
        for (int i = 0; i < 64; i++) {
          assertTrue(dma.write(mapping, 0, memory, 0, 64, i));
        }
      } finally {
        go.countDown();
      }
      assertTrue(fabric.help(() -> dma.done() == 64, 90_000_000_000L), () -> dma.done() + " of 64 were told done");
      assertTrue(hasFailed.get());
    }
  }
}
