package dev.weft.fabric.switching;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.fabric.link.DirectCable;
import dev.weft.fabric.link.EndPort;
import dev.weft.fabric.link.LinkFaults;
import dev.weft.fabric.link.LinkProfile;
import dev.weft.fabric.packet.Packet;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Multicast groups in one switch: who gets a copy, and that buffers, credits and payloads are given back once. */
@Tag("simulation")
class SwitchMulticastTest {
  private static final int GROUP = 0xc001;
  private static final int OTHER = 0xc002;
  private static final long HOQ_NS = 100_000_000;

  private static SwitchBench bench(long seed, int buffers) {
    return new SwitchBench(seed, new SwitchSettings(16, 2, buffers, HOQ_NS, 2));
  }

  private static String join(SwitchBench bench, int lid, int port) {
    List<String> answers = new ArrayList<>();
    bench.leaf.tell(new SwitchActor.JoinGroup(lid, port, answers::add));
    bench.settle();
    assertEquals(1, answers.size());
    return answers.getFirst();
  }

  private static void joinAll(SwitchBench bench, int lid, int... ports) {
    for (int port : ports) {
      assertNull(join(bench, lid, port));
    }
  }

  @Test
  void shouldForwardToExactlyThePortsOfTheGroup() {
    try (SwitchBench bench = bench(1, 4)) {
      for (int i = 0; i < 4; i++) {
        bench.attachDirect(4, 0);
      }
      joinAll(bench, GROUP, 2, 3);
      joinAll(bench, OTHER, 4);
      bench.ends.get(0).submit(GROUP, 0, 16);
      bench.settle();
      assertEquals(List.of(0, 1, 1, 0), bench.ends.stream().map(end -> end.received.size()).toList());
      bench.ends.get(1).submit(GROUP, 0, 16);
      bench.settle();
      assertEquals(List.of(0, 2, 2, 0), bench.ends.stream().map(end -> end.received.size()).toList(), "a member gets its own copy");
      assertEquals(List.of(new SwitchSnapshot.Group(GROUP, List.of(2, 3)), new SwitchSnapshot.Group(OTHER, List.of(4))),
          bench.inspect().groups());
      bench.leaf.tell(new SwitchActor.LeaveGroup(GROUP, 2));
      bench.leaf.tell(new SwitchActor.DetachPort(4));
      bench.settle();
      bench.ends.get(0).submit(GROUP, 0, 16);
      bench.settle();
      assertEquals(List.of(0, 2, 3, 0), bench.ends.stream().map(end -> end.received.size()).toList());
      assertEquals(List.of(new SwitchSnapshot.Group(GROUP, List.of(3))), bench.inspect().groups());
      bench.assertReleasedOnce();
    }
  }

  @Test
  void shouldDiscardAndReleaseWhatGoesToAGroupWithoutMembers() {
    try (SwitchBench bench = bench(2, 4)) {
      EndPort end = bench.attachDirect(4, 0);
      for (int i = 0; i < 20; i++) {
        end.submit(GROUP, 0, 16);
      }
      bench.settle();
      assertEquals(20, bench.port(1).discards().noRoute());
      bench.assertReleasedOnce();
      bench.assertAtRest(0);
    }
  }

  @Test
  void shouldRefuseToJoinAndSayWhy() {
    try (SwitchBench bench = bench(3, 4)) {
      bench.attachDirect(4, 0);
      assertTrue(join(bench, 0xbfff, 1).contains("multicast LID"));
      assertTrue(join(bench, 0xffff, 1).contains("multicast LID"));
      assertTrue(join(bench, GROUP, 2).contains("port 2"));
      joinAll(bench, GROUP, 1, 1);
      joinAll(bench, OTHER, 1);
      assertTrue(join(bench, 0xc003, 1).contains("multicast-groups-max"));
      bench.leaf.tell(new SwitchActor.LeaveGroup(GROUP, 1));
      joinAll(bench, 0xc003, 1);
    }
  }

  /** Members of different speed: a packet holds its input buffer until the slowest has it, and everybody gets all, in order. */
  @ParameterizedTest
  @ValueSource(longs = {11, 12, 13, 14})
  void shouldGiveBackEveryBufferOnceWhateverTheMembersPace(long seed) {
    try (SwitchBench bench = bench(seed, 3)) {
      for (int i = 0; i < 5; i++) {
        bench.attach(new LinkProfile(100 * i, 1_000_000_000L), LinkFaults.NONE, 2 + i, 40L * i);
      }
      joinAll(bench, GROUP, 1, 2, 3, 4, 5);
      for (int i = 0; i < 200; i++) {
        bench.ends.get(i % 5).submit(i % 3 == 0 ? bench.ends.get((i + 1) % 5).lid : GROUP, i, 32);
      }
      bench.settle();
      bench.assertNobodyOverran();
      bench.assertReleasedOnce();
      bench.assertAtRest(0);
      for (EndPort end : bench.ends) {
        assertEquals(133, end.received.stream().filter(Packet::isMulticast).count(), "seed " + seed + " LID " + end.lid);
        for (int from = 1; from <= 5; from++) {
          for (int lane = 0; lane < 2; lane++) {
            assertInOrder(end, from, lane);
          }
        }
      }
    }
  }

  private static void assertInOrder(EndPort end, int from, int lane) {
    int expected = 0;
    for (Packet packet : end.received) {
      if (packet.isMulticast() && packet.srcLid() == from && packet.serviceLevel() % 2 == lane) {
        assertEquals(expected++, packet.psn());
      }
    }
  }

  /** One member takes nothing: its copies are discarded after the lifetime, the others have theirs, and the buffers come back. */
  @Test
  void shouldNotLoseBuffersToAMemberThatIsStuck() {
    try (SwitchBench bench = bench(21, 4)) {
      EndPort sender = bench.attachDirect(4, 0);
      EndPort stuck = bench.attachDirect(4, 0);
      EndPort well = bench.attachDirect(4, 0);
      stuck.paused = true;
      joinAll(bench, GROUP, 2, 3);
      for (int i = 0; i < 50; i++) {
        sender.submit(GROUP, 0, 16);
      }
      bench.settle();
      assertEquals(50, well.received.size());
      assertEquals(46, bench.port(2).discards().headOfQueueLifetime());
      stuck.resume();
      bench.settle();
      assertEquals(4, stuck.received.size());
      bench.assertReleasedOnce();
      bench.assertAtRest(0);
    }
  }

  /** A trunk's packets reach the ports of this switch, and never another trunk, which got them from the sender's switch. */
  @Test
  void shouldNotSendBackOverTrunksWhatCameFromOne() {
    try (SwitchBench bench = bench(31, 4)) {
      EndPort local = bench.attachDirect(4, 0);
      List<EndPort> trunks = new ArrayList<>();
      for (int i = 0; i < 2; i++) {
        EndPort far = new EndPort(bench.system.context(), 40 + i, 2, 4, 0);
        var ref = bench.system.spawn(far.behavior(), "far-" + i);
        bench.attachRaw(0, port -> {
          far.connect(new DirectCable(port));
          return new DirectCable(ref);
        });
        far.announce();
        trunks.add(far);
      }
      bench.settle();
      joinAll(bench, GROUP, 1, 2, 3);
      local.submit(GROUP, 0, 8);
      bench.settle();
      assertEquals(List.of(1, 1), trunks.stream().map(far -> far.received.size()).toList());
      trunks.getFirst().submit(GROUP, 0, 8);
      bench.settle();
      assertEquals(2, local.received.size());
      assertEquals(List.of(1, 1), trunks.stream().map(far -> far.received.size()).toList());
    }
  }
}
