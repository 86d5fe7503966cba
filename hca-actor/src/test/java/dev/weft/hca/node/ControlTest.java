package dev.weft.hca.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import akka.actor.typed.Behavior;
import akka.actor.typed.javadsl.Behaviors;
import com.typesafe.config.ConfigFactory;
import dev.weft.fabric.link.LinkFaults;
import dev.weft.hca.verbs.Access;
import dev.weft.hca.verbs.Hca;
import dev.weft.hca.verbs.MemoryRegion;
import dev.weft.hca.verbs.VerbsException;
import dev.weft.hca.verbs.VerbsException.Errno;
import java.lang.foreign.Arena;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What is asked of the hardware thread by others: it is done when asked, or not at all. */
@Tag("slow")
@Tag("simulation")
@Timeout(180)
class ControlTest {
  /** A role that keeps the hardware thread until {@code go}. */
  private static Behavior<Object> blocking(CountDownLatch begun, CountDownLatch go) {
    return Behaviors.setup(context -> {
      begun.countDown();
      go.await();
      return Behaviors.empty();
    });
  }

  @Test
  void shouldNotDoLaterWhatTheHardwareThreadDidNotTakeUpInTime() throws InterruptedException {
    try (LocalFabric fabric = LocalFabric.start(
        ConfigFactory.parseString("weft.hca { control-timeout = 5 s, pin-memory = false }"))) {
      Node node = fabric.addNode("n");
      Hca hca = node.hca();
      MemoryRegion mr = hca.regMr(hca.allocPd(), Arena.ofAuto().allocate(64, 8), Access.LOCAL_WRITE);
      CountDownLatch begun = new CountDownLatch(1);
      CountDownLatch go = new CountDownLatch(1);
      node.spawnRole(blocking(begun, go), "blocking");
      begun.await();
      try {
        VerbsException late = assertThrows(VerbsException.class, () -> hca.deregMr(mr));
        assertEquals(Errno.ETIMEDOUT, late.errno());
        Thread.currentThread().interrupt();
        VerbsException interrupted = assertThrows(VerbsException.class, () -> hca.deregMr(mr));
        assertEquals(Errno.EINTR, interrupted.errno());
        assertTrue(Thread.interrupted(), "the interrupt is kept");
      } finally {
        go.countDown();
      }
      hca.inspect();
      assertTrue(mr.isValid());
      hca.deregMr(mr);
      assertFalse(mr.isValid());
    }
  }

  @Test
  void shouldRefuseASecondRoleOfOneNameAndGoOn() {
    try (LocalFabric fabric = LocalFabric.start(ConfigFactory.empty())) {
      refuseASecondRole(fabric.addNode("n"));
    }
    try (VirtualFabric fabric = VirtualFabric.create(1, LinkFaults.NONE)) {
      refuseASecondRole(fabric.addNode("n"));
    }
  }

  private static void refuseASecondRole(Node node) {
    node.spawnRole(Behaviors.empty(), "role");
    IllegalArgumentException refused = assertThrows(IllegalArgumentException.class,
        () -> node.spawnRole(Behaviors.empty(), "role"));
    assertTrue(refused.getMessage().contains("node n cannot have a role \"role\""), refused.getMessage());
    node.spawnRole(Behaviors.empty(), "other");
    node.hca().allocPd();
  }
}
