package dev.weft.hca.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.typesafe.config.ConfigFactory;
import dev.weft.fabric.link.LinkFaults;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Tag("simulation")
@Timeout(120)
class EventCounterTest {
  private static EventCounters counters(Pair pair) {
    EventCounters counters = new EventCounters(4, 8, pair.b.hca.contexts());
    pair.b.hca.useEventCounters(pair.b.qp, counters);
    return counters;
  }

  private static WorkRequest write(Pair p, long offset, int length, int counter) {
    return new WorkRequest().writeWithImm(p.b.mr.addr() + offset, p.b.mr.rkey(), counter).sge(p.a.mr, offset, length).signaled();
  }

  @Test
  void shouldCountWritesThatNameACounterWithoutTakingAReceive() {
    try (Pair p = new Pair()) {
      EventCounters counters = counters(p);
      p.connect(attr -> {});
      p.a.fill(2);
      List<Long> handled = new ArrayList<>();
      List<String> reached = new ArrayList<>();
      counters.handle(2, ReceiveContext.ISR, handled::add);
      counters.whenReached(2, 2, ReceiveContext.PROCESS, () -> reached.add("two"));
      p.a.send(write(p, 0, 5000, 2));
      p.run();
      assertEquals(1, counters.value(2));
      assertEquals(List.of(), reached);
      p.a.send(write(p, 5000, 100, 2));
      p.run();
      assertEquals(List.of("two"), reached);
      assertEquals(List.of(1L, 2L), handled);
      assertEquals(0, counters.value(1));
      assertEquals(2, p.a.sent().stream().filter(wc -> wc.status() == WcStatus.SUCCESS).count());
      assertEquals(0, p.b.counters().rnrNaksSent());
      p.assertSame(0, 0, 5100);
    }
  }

  @Test
  void shouldRefuseACounterThatThereIsNot() {
    try (Pair p = new Pair()) {
      counters(p);
      p.connect(attr -> {});
      p.a.send(write(p, 0, 8, 4));
      p.run();
      assertEquals(WcStatus.REM_INV_REQ_ERR, p.a.oneSent().status());
    }
  }

  @Test
  void shouldTellWhoWaitsWhenTheLastQueuePairIsGone() throws InterruptedException {
    try (Pair p = new Pair()) {
      EventCounters counters = counters(p);
      p.connect(attr -> {});
      List<String> told = new ArrayList<>();
      counters.whenReached(0, 1, ReceiveContext.PROCESS, () -> told.add("waiter"));
      counters.handle(1, ReceiveContext.ISR, value -> told.add("handler " + value));
      assertEquals(EventCounters.Awaited.TIMED_OUT, counters.await(0, 1, 1));
      p.b.qp.modify(new QpAttr().state(QpState.ERR));
      p.run();
      assertEquals(List.of("handler 0", "waiter"), told.stream().sorted().toList());
      assertEquals(0, counters.value(0), "so that the waiter knows");
      assertTrue(counters.failure().contains("lost or closed"), counters::failure);
      assertEquals(EventCounters.Awaited.LOST, counters.await(0, 1, 1_000_000_000));
      counters.whenReached(0, 1, ReceiveContext.PROCESS, () -> told.add("at once"));
      assertEquals("at once", told.getLast());
      counters.attached();
      assertNull(counters.failure(), "another queue pair can increment them");
    }
  }

  @Test
  void shouldBoundWhoWaits() {
    try (Pair p = new Pair()) {
      EventCounters counters = counters(p);
      for (int i = 0; i < 8; i++) {
        counters.whenReached(0, 1, ReceiveContext.ISR, () -> {});
      }
      assertThrows(IllegalStateException.class, () -> counters.whenReached(0, 1, ReceiveContext.ISR, () -> {}));
    }
  }

  /** Each write puts a number where the counter's value says that it is; a notification before its data, or out of order, is seen. */
  @Test
  void shouldNotifyInOrderOverAFabricThatReorders() {
    for (long seed = 1; seed <= 10; seed++) {
      try (Pair p = new Pair(seed, LinkFaults.NONE, Pair.QpShape.DEFAULT, Access.ALL, ConfigFactory.parseString(
          "weft.fabric.switch { paths = 4, path-skew = 5us }\nweft.hca.sequence-window = 64"))) {
        EventCounters counters = counters(p);
        p.connect(attr -> {});
        List<Long> seen = new ArrayList<>();
        counters.handle(1, ReceiveContext.ISR, value -> {
          for (long i = seen.size(); i < value; i++) {
            seen.add(p.b.memory.get(ValueLayout.JAVA_LONG, i * 8));
          }
        });
        for (int i = 0; i < 60; i++) {
          p.a.word(i * 8L, i + 1L);
          p.a.send(write(p, i * 8L, 8, 1));
        }
        p.run();
        assertEquals(60, counters.value(1), "seed " + seed);
        for (int i = 0; i < 60; i++) {
          assertEquals(i + 1L, seen.get(i), "seed " + seed);
        }
        assertEquals(0, p.a.counters().packetsRetransmitted(), "seed " + seed + ": sent again");
        assertEquals(0, p.b.counters().naksSent(), "seed " + seed);
      }
    }
  }

  @Test
  void shouldReorderWithoutTheWindowSoThatTheTestAboveMeansSomething() {
    try (Pair p = new Pair(1, LinkFaults.NONE, Pair.QpShape.DEFAULT, Access.ALL,
        ConfigFactory.parseString("weft.fabric.switch { paths = 4, path-skew = 5us }"))) {
      EventCounters counters = counters(p);
      p.connect(attr -> {});
      for (int i = 0; i < 60; i++) {
        p.a.send(write(p, i * 8L, 8, 1));
      }
      p.run();
      assertEquals(60, counters.value(1), "the transport repairs it");
      assertTrue(p.b.counters().naksSent() > 0, "and needed to");
    }
  }

  @Test
  void shouldCountWhenRedirectedDataIsInMemory() {
    try (UnpinnedPair vm = new UnpinnedPair(1, LinkFaults.NONE, 4, 64, 64, true)) {
      vm.poke(9L * UnpinnedPair.PAGE, new byte[] {9});
      vm.push(20, 8);
      vm.pair.a.word(0, 77);
      boolean[] residentThen = new boolean[1];
      vm.counters.handle(0, ReceiveContext.ISR, value -> residentThen[0] = true);
      vm.pair.a.send(new WorkRequest().write(vm.va(9L * UnpinnedPair.PAGE), vm.mr.rkey()).sge(vm.pair.a.mr, 0, 8));
      vm.pair.a.send(new WorkRequest().writeWithImm(vm.va(20L * UnpinnedPair.PAGE), vm.mr.rkey(), 0).sge(vm.pair.a.mr, 0, 0).signaled());
      vm.pair.runUntil(() -> vm.pair.a.sendCq.size() == 1);
      assertEquals(0, vm.counters.value(0), "acknowledged, and waiting for its page");
      vm.pair.run();
      assertEquals(1, vm.counters.value(0));
      assertTrue(residentThen[0]);
    }
  }
}
