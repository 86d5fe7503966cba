package dev.weft.fabric.switching;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.fabric.link.EndPort;
import dev.weft.fabric.link.LinkCounts;
import dev.weft.fabric.link.LinkFaults;
import dev.weft.fabric.link.LinkProfile;
import dev.weft.fabric.link.VirtualLane;
import dev.weft.fabric.packet.CableMessage;
import dev.weft.fabric.packet.Opcode;
import dev.weft.fabric.packet.Packet;
import dev.weft.fabric.packet.Payload;
import dev.weft.fabric.seeds.Seeds;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("slow")
@Tag("simulation")
class SwitchSimulationTest {
  private static final long HOQ_NS = 100_000_000;
  private static final LinkProfile FAST = new LinkProfile(200, 40_000_000_000L);

  private static SwitchSettings settings(int lanes, int buffers) {
    return new SwitchSettings(16, lanes, buffers, HOQ_NS, 2);
  }

  private static void randomTraffic(SwitchBench bench, SplittableRandom random, int count) {
    for (int i = 0; i < count; i++) {
      EndPort from = bench.ends.get(random.nextInt(bench.ends.size()));
      from.submit(1 + random.nextInt(bench.ends.size()), random.nextInt(16), random.nextInt(256));
    }
  }

  private static void assertInOrder(SwitchBench bench) {
    for (EndPort end : bench.ends) {
      Map<Integer, Integer> next = new HashMap<>();
      for (Packet packet : end.received) {
        assertEquals(end.lid, packet.dstLid());
        int flow = packet.srcLid() * 16 + VirtualLane.of(packet.serviceLevel(), bench.settings.virtualLanes());
        int expected = next.merge(flow, 1, Integer::sum) - 1;
        assertEquals(expected, packet.psn(), () -> "seed " + bench.seed + " LID " + end.lid + " got " + packet);
      }
    }
  }

  static LongStream seeds() {
    return Seeds.of(SwitchSimulationTest.class, "switch", 1, 8, 8).stream();
  }

  static LongStream faultySeeds() {
    return Seeds.of(SwitchSimulationTest.class, "switch-faults", 21, 4, 4).stream();
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void shouldDeliverAllOnceAndInOrderWhenNothingFails(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    try (SwitchBench bench = new SwitchBench(seed, settings(1 + random.nextInt(5), 1 + random.nextInt(20)))) {
      for (int i = 0; i < 6; i++) {
        LinkProfile profile = new LinkProfile(random.nextInt(2000), 1_000_000_000L * (1 + random.nextInt(100)));
        bench.attach(profile, LinkFaults.NONE, 1 + random.nextInt(20), random.nextInt(200));
      }
      randomTraffic(bench, random, 12_000);
      bench.settle();
      assertEquals(12_000, bench.ends.stream().mapToInt(end -> end.received.size()).sum(), "seed " + seed);
      assertInOrder(bench);
      bench.assertAtRest(0);
      bench.assertNobodyOverran();
      bench.assertReleasedOnce();
      for (PortSnapshot port : bench.inspect().ports()) {
        assertEquals(0, port.discards().total(), "seed " + seed + " " + port);
      }
    }
  }

  @ParameterizedTest
  @MethodSource("faultySeeds")
  void shouldAccountForEveryPacketWhateverTheCablesDo(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    LinkFaults faults = new LinkFaults(0.03, 0.03, 0.05, 0.02, 5000);
    try (SwitchBench bench = new SwitchBench(seed, settings(2, 2 + random.nextInt(12)))) {
      for (int i = 0; i < 5; i++) {
        bench.attach(FAST, faults, 2 + random.nextInt(12), random.nextInt(100));
      }
      for (int round = 0; round < 5; round++) {
        randomTraffic(bench, random, 2_000);
        bench.settle();
        bench.assertAtRest(2);
        bench.assertNobodyOverran();
      }
      LinkCounts counts = bench.links.stream()
          .map(link -> link.countsFromA().plus(link.countsFromB()))
          .reduce(LinkCounts::plus).orElseThrow();
      int received = bench.ends.stream().mapToInt(end -> end.received.size()).sum();
      assertEquals(10_000 - counts.lost() - counts.corruptionsRejected() + counts.duplicated(), received,
          "seed " + seed + " " + counts);
      assertTrue(counts.duplicated() > 20 && counts.lost() > 200 && counts.corruptionsRejected() > 100, counts::toString);
      bench.assertReleasedOnce();
    }
  }

  @Test
  void shouldShareASlowReceiverEvenlyAmongIngressPorts() {
    try (SwitchBench bench = new SwitchBench(31, settings(1, 32))) {
      EndPort slow = bench.attachDirect(4, 1000);
      for (int i = 0; i < 4; i++) {
        bench.attachDirect(16, 0);
      }
      for (EndPort sender : bench.ends.subList(1, 5)) {
        for (int k = 0; k < 500 * sender.lid; k++) {
          sender.submit(slow.lid, 0, 8);
        }
      }
      bench.system.runUntil(() -> slow.received.size() == 2000, HOQ_NS);
      int[] share = new int[6];
      slow.received.forEach(packet -> share[packet.srcLid()]++);
      for (int lid = 2; lid <= 5; lid++) {
        // Only the packets that found the receiver's four buffers free were not arbitrated.
        assertTrue(Math.abs(share[lid] - 500) <= 4, "LID " + lid + " got " + share[lid] + " of 2000");
      }
      PortSnapshot port = bench.port(1);
      assertTrue(port.lanes().get(0).queuedHighWater() <= 4 * 32, port::toString);
    }
  }

  @Test
  void shouldDiscardForAReceiverThatStopsGrantingWhileOthersContinue() {
    try (SwitchBench bench = new SwitchBench(41, settings(2, 8))) {
      EndPort sender = bench.attach(FAST, LinkFaults.NONE, 8, 0);
      EndPort dead = bench.attach(FAST, LinkFaults.NONE, 8, 0);
      EndPort alive = bench.attach(FAST, LinkFaults.NONE, 8, 0);
      dead.paused = true;
      for (int i = 0; i < 100; i++) {
        sender.submit(dead.lid, 0, 8);
        sender.submit(alive.lid, 0, 8);
        sender.submit(alive.lid, 1, 8);
      }
      bench.system.runFor(HOQ_NS / 2);
      assertEquals(100, alive.received.stream().filter(p -> p.serviceLevel() == 1).count(), "other lanes are not blocked");
      assertTrue(alive.received.size() < 200, "the shared lane waits");
      bench.system.runFor(HOQ_NS);
      assertEquals(200, alive.received.size());
      assertEquals(0, sender.waitingCount());
      PortSnapshot port = bench.port(2);
      assertEquals(100 - 8, port.discards().headOfQueueLifetime(), port::toString);
      assertTrue(port.lanes().get(0).stalled());
      dead.resume();
      bench.settle();
      assertEquals(8, dead.received.size());
      sender.submit(dead.lid, 0, 8);
      bench.settle();
      assertEquals(9, dead.received.size(), "the lane works again after the first credit");
      bench.assertAtRest(0);
      bench.assertReleasedOnce();
    }
  }

  @Test
  void shouldNotDiscardForAReceiverThatIsSlowButAlive() {
    try (SwitchBench bench = new SwitchBench(42, settings(1, 8))) {
      EndPort sender = bench.attachDirect(8, 0);
      EndPort slow = bench.attachDirect(1, HOQ_NS - 1);
      for (int i = 0; i < 20; i++) {
        sender.submit(slow.lid, 0, 8);
      }
      bench.settle();
      assertEquals(20, slow.received.size());
      assertEquals(0, bench.port(2).discards().total());
      bench.assertAtRest(0);
    }
  }

  @Test
  void shouldDiscardAndGiveTheCreditBackWhenThereIsNoRoute() {
    try (SwitchBench bench = new SwitchBench(51, settings(2, 4))) {
      EndPort sender = bench.attachDirect(4, 0);
      EndPort other = bench.attachDirect(4, 0);
      for (int i = 0; i < 50; i++) {
        sender.submit(99, i, 8);
      }
      bench.settle();
      assertEquals(50, bench.port(1).discards().noRoute());
      bench.leaf.tell(new SwitchActor.SetRoute(99, 2));
      bench.settle();
      sender.submit(99, 0, 8);
      bench.settle();
      assertEquals(99, other.received.getLast().dstLid());
      bench.leaf.tell(new SwitchActor.ClearRoute(99));
      bench.settle();
      sender.submit(99, 0, 8);
      bench.settle();
      assertEquals(51, bench.port(1).discards().noRoute());
      bench.assertAtRest(0);
      bench.assertReleasedOnce();
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {61, 62, 63, 64, 65, 66})
  void shouldReleaseEverythingAndRecoverWhenLinksGoDownAndUp(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    try (SwitchBench bench = new SwitchBench(seed, settings(2, 6))) {
      for (int i = 0; i < 4; i++) {
        bench.attachDirect(6, random.nextInt(100));
      }
      for (int round = 0; round < 20; round++) {
        randomTraffic(bench, random, 300);
        bench.system.runFor(random.nextInt(3000));
        int port = 1 + random.nextInt(4);
        bench.leaf.tell(new SwitchActor.SetLink(port, false));
        bench.system.runFor(random.nextInt(3000));
        bench.leaf.tell(new SwitchActor.SetLink(port, true));
      }
      bench.settle();
      bench.assertAtRest(0);
      int received = bench.ends.stream().mapToInt(end -> end.received.size()).sum();
      // Credits that were on their way when a link changed may add to the new grant; the end port drops the excess.
      long overrun = bench.ends.stream().mapToLong(end -> end.overruns).sum();
      assertTrue(overrun < 100, "seed " + seed + " overruns " + overrun);
      long discarded = bench.inspect().ports().stream().mapToLong(p -> p.discards().total()).sum();
      assertTrue(discarded > 0);
      assertEquals(6000, received + discarded + overrun, "seed " + seed);
      bench.assertReleasedOnce();
      assertTrue(bench.ends.stream().mapToInt(end -> end.linkDowns).sum() >= 10);
    }
  }

  @Test
  void shouldDrainADetachedPortAndUseItsNumberAgain() {
    try (SwitchBench bench = new SwitchBench(71, settings(1, 8))) {
      EndPort a = bench.attach(FAST, LinkFaults.NONE, 8, 0);
      EndPort b = bench.attach(FAST, LinkFaults.NONE, 8, 500);
      for (int i = 0; i < 200; i++) {
        a.submit(b.lid, 0, 8);
        b.submit(a.lid, 0, 8);
      }
      bench.system.runFor(5_000);
      bench.leaf.tell(new SwitchActor.DetachPort(2));
      bench.settle();
      assertEquals(1, b.linkDowns);
      assertEquals(1, bench.inspect().ports().size());
      assertEquals(0, a.waitingCount(), "what still goes to the detached port is discarded");
      a.fates.forEach(fate -> assertEquals(1, fate.released));
      assertEquals(b.transmitted, b.fates.stream().filter(fate -> fate.released == 1).count());
      EndPort c = bench.attach(FAST, LinkFaults.NONE, 8, 0);
      assertEquals(2, ((SwitchActor.PortAttached) bench.replies.getLast()).portNumber());
      a.submit(c.lid, 0, 8);
      bench.settle();
      assertEquals(1, c.received.size());
      bench.assertAtRest(0);
    }
  }

  @Test
  void shouldDropAndCountWhatIsSentWithoutACredit() {
    try (SwitchBench bench = new SwitchBench(81, settings(1, 4))) {
      EndPort rogue = bench.attachDirect(4, 0);
      EndPort dead = bench.attachDirect(4, 0);
      dead.paused = true;
      int[] released = new int[1];
      Payload payload = Payload.of(MemorySegment.ofArray(new byte[8]), 0, 8, () -> released[0]++);
      for (int i = 0; i < 100; i++) {
        rogue.transmitRaw(new Packet(Opcode.RC_SEND_ONLY, 1, 2, 0, false, false, Packet.DEFAULT_PKEY, 5, i, 0, 0, 0, 0, 0, 0,
            0, 0, payload));
      }
      rogue.transmitRaw(new CableMessage.Credits(7, 1));
      rogue.transmitRaw(new CableMessage.Credits(0, -1));
      bench.system.runFor(1000);
      PortSnapshot port = bench.port(1);
      assertTrue(port.discards().creditViolation() >= 100 - 4 - 4 - 4, port::toString);
      assertEquals(2, port.controlErrors());
      assertTrue(bench.port(2).lanes().get(0).queued() <= 4);
      assertEquals(port.discards().creditViolation(), released[0]);
    }
  }

  @Test
  void shouldNotReturnCreditsOfASessionThatIsOver() {
    try (SwitchBench bench = new SwitchBench(85, settings(1, 4))) {
      EndPort end = bench.attachDirect(4, 0);
      SwitchActor.PortAttached attached = (SwitchActor.PortAttached) bench.replies.getLast();
      attached.port().tell(new SwitchPortActor.ReturnCredits(0, 2, 0));
      bench.settle();
      assertEquals(4, end.credits[0]);
      bench.assertAtRest(0);
    }
  }

  @Test
  void shouldTellTheHcaItsNewLidAndRouteToIt() {
    try (SwitchBench bench = new SwitchBench(91, settings(1, 4))) {
      EndPort a = bench.attachDirect(4, 0);
      EndPort b = bench.attachDirect(4, 0);
      bench.leaf.tell(new SwitchActor.SetLid(2, 700));
      bench.settle();
      assertEquals(700, b.assignedLid);
      assertEquals(1, b.linkUps, "credits of the running link stay valid");
      a.submit(700, 0, 8);
      bench.settle();
      assertEquals(1, b.received.size());
    }
  }

  @Test
  void shouldRefuseToAttachAndSayWhy() {
    try (SwitchBench bench = new SwitchBench(95, new SwitchSettings(1, 1, 4, HOQ_NS, 1))) {
      SwitchActor.AttachRefused lid = assertInstanceOf(
          SwitchActor.AttachRefused.class, bench.attachRaw(0xffff, port -> message -> {}));
      assertTrue(lid.reason().contains("65535"), lid.reason());
      SwitchActor.AttachRefused cable = assertInstanceOf(
          SwitchActor.AttachRefused.class, bench.attachRaw(1, port -> {
            throw new IllegalStateException("no drum");
          }));
      assertTrue(cable.reason().contains("no drum"), cable.reason());
      bench.attachDirect(4, 0);
      SwitchActor.AttachRefused full = assertInstanceOf(
          SwitchActor.AttachRefused.class, bench.attachRaw(2, port -> message -> {}));
      assertTrue(full.reason().contains("ports-max"), full.reason());
      for (SwitchActor.Command senseless : new SwitchActor.Command[] {
          new SwitchActor.SetRoute(0, 1), new SwitchActor.SetRoute(5, 9), new SwitchActor.DetachPort(-1),
          new SwitchActor.SetLink(44, true), new SwitchActor.SetLid(1, 0xffff), new SwitchActor.ClearRoute(-3)}) {
        bench.leaf.tell(senseless);
      }
      SwitchSnapshot now = bench.inspect();
      assertEquals(1, now.ports().size());
      assertEquals(1, now.routes().size());
    }
  }
}
