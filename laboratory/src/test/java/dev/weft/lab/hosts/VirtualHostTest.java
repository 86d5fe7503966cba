package dev.weft.lab.hosts;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import akka.actor.typed.ActorRef;
import akka.actor.typed.Behavior;
import akka.actor.typed.javadsl.Behaviors;
import dev.weft.fabric.time.VirtualSystem;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The processors as an actor, on the profile of seed 000. */
@Tag("simulation")
class VirtualHostTest {
  private static final HardwareProfile P3 = HardwareProfile.load("ib-2003-p3");
  private static final CpuCosts CPU = P3.cpu();

  private final List<String> log = new ArrayList<>();

  private Behavior<String> listener(VirtualSystem system) {
    return Behaviors.receiveMessage(what -> {
      log.add(what + "@" + system.nowNs());
      return Behaviors.same();
    });
  }

  @Test
  void shouldTellWhenChargedWorkIsDone() {
    try (VirtualSystem system = VirtualSystem.create(1)) {
      VirtualHost host = new VirtualHost(system, "h", P3);
      ActorRef<String> listener = system.spawn(listener(system), "listener");
      int process = host.addProcess("p");
      host.compute(process, 1_000, listener, "first");
      host.compute(process, 500, listener, "second");
      system.runUntilIdle(1_000);
      long startNs = CPU.schedulingNs() + CPU.contextSwitchNs();
      assertEquals(List.of("first@" + (startNs + 1_000), "second@" + (startNs + 1_500)), log);
      assertEquals(1_500, host.stats().processNs());
    }
  }

  @Test
  void shouldChargeEachContextWhatTheTableSays() {
    try (VirtualSystem system = VirtualSystem.create(2)) {
      VirtualHost host = new VirtualHost(system, "h", P3);
      host.interrupt(() -> log.add("isr@" + system.nowNs()));
      system.runUntilIdle(1_000);
      long t = system.nowNs();
      host.taskQueue(() -> log.add("queue@" + (system.nowNs() - t)));
      system.runUntilIdle(1_000);
      long u = system.nowNs();
      host.signal(() -> log.add("process@" + (system.nowNs() - u)));
      system.runUntilIdle(1_000);
      long process = CPU.interruptNs() + CPU.schedulingNs() + CPU.contextSwitchNs() + CPU.signalNs() + CPU.systemCallNs();
      assertEquals(List.of("isr@" + (CPU.interruptNs() + CPU.pollNs()),
          "queue@" + (CPU.interruptNs() + CPU.softirqNs() + CPU.pollNs()), "process@" + (process + CPU.pollNs())), log);
    }
  }

  @Test
  void shouldBeginAndEndLoad() {
    try (VirtualSystem system = VirtualSystem.create(3)) {
      VirtualHost host = new VirtualHost(system, "h", P3);
      CpuLoad load = host.load(3);
      system.runFor(1_000_000_000L);
      load.close();
      List<CpuStats> stats = new ArrayList<>();
      ActorRef<CpuStats> reader = system.spawn(Behaviors.receiveMessage(s -> {
        stats.add(s);
        return Behaviors.same();
      }), "reader");
      system.runFor(1_000_000_000L);
      host.cpu().tell(new HostCpu.Inspect(reader));
      system.runUntilIdle(1_000);
      CpuStats seen = stats.getFirst();
      long idleNs = 2 * seen.elapsedNs() - seen.processNs() - seen.switchNs();
      long lastSwitchNs = CPU.schedulingNs() + CPU.contextSwitchNs(); // to the one that waited when the others ended
      assertEquals(2_000_000_000L - lastSwitchNs, idleNs, "two processors, for one of two seconds");
      assertEquals(2_000_000_000L, seen.elapsedNs());
      assertEquals(0, seen.waiting());
    }
  }

  @Test
  void shouldRefuseWhatCannotBeCharged() {
    try (VirtualSystem system = VirtualSystem.create(4)) {
      VirtualHost host = new VirtualHost(system, "h", P3);
      assertThrows(IllegalArgumentException.class, () -> host.compute(0, -1, () -> {}));
      assertThrows(IllegalArgumentException.class, () -> host.load(-1));
      assertThrows(IllegalStateException.class, () -> host.charge(1));
    }
  }
}
