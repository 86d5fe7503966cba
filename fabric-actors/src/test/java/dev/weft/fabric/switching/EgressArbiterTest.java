package dev.weft.fabric.switching;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.fabric.packet.Opcode;
import dev.weft.fabric.packet.Packet;
import dev.weft.fabric.packet.Payload;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class EgressArbiterTest {
  private static Packet packet(int psn) {
    return new Packet(Opcode.RC_SEND_ONLY, 1, 2, 0, false, false, Packet.DEFAULT_PKEY, 3, psn, 0, 0, 0, 0, 0, 0, 0, 0,
        Payload.EMPTY);
  }

  @Test
  void shouldServeIngressPortsInTurnHoweverMuchOneOfThemHasQueued() {
    EgressArbiter arbiter = new EgressArbiter(1, 8, 100);
    for (int i = 0; i < 50; i++) {
      arbiter.enqueue(0, 1, packet(i));
    }
    arbiter.enqueue(0, 2, packet(100));
    arbiter.enqueue(0, 8, packet(200));
    arbiter.enqueue(0, 2, packet(101));
    List<Integer> order = new ArrayList<>();
    for (int i = 0; i < 7; i++) {
      order.add(arbiter.poll(0).psn());
    }
    assertEquals(List.of(0, 100, 200, 1, 101, 2, 3), order);
  }

  @Test
  void shouldServeLanesInTurnAmongThoseWithACredit() {
    EgressArbiter arbiter = new EgressArbiter(3, 4, 100);
    CreditCounter credits = new CreditCounter(3);
    for (int lane = 0; lane < 3; lane++) {
      for (int i = 0; i < 4; i++) {
        arbiter.enqueue(lane, 1, packet(i));
      }
    }
    assertEquals(-1, arbiter.nextLane(credits));
    credits.grant(0, 100);
    credits.grant(2, 100);
    List<Integer> lanes = new ArrayList<>();
    int lane;
    while ((lane = arbiter.nextLane(credits)) >= 0) {
      arbiter.poll(lane);
      lanes.add(lane);
    }
    assertEquals(List.of(0, 2, 0, 2, 0, 2, 0, 2), lanes);
    assertEquals(4, arbiter.depth(1));
    credits.grant(1, 1);
    assertEquals(1, arbiter.nextLane(credits));
  }

  @Test
  void shouldRefuseMoreThanTheBoundOfOneIngressPort() {
    EgressArbiter arbiter = new EgressArbiter(1, 2, 3);
    for (int i = 0; i < 3; i++) {
      arbiter.enqueue(0, 1, packet(i));
    }
    assertThrows(IllegalStateException.class, () -> arbiter.enqueue(0, 1, packet(3)));
    arbiter.enqueue(0, 2, packet(4));
    assertEquals(4, arbiter.depth(0));
    assertEquals(4, arbiter.depthHighWater(0));
  }

  @Test
  void shouldKeepOrderOfEachIngressPortAndServeNoneTwiceBeforeAnother() {
    long seed = 20261121;
    SplittableRandom random = new SplittableRandom(seed);
    int ports = 5;
    EgressArbiter arbiter = new EgressArbiter(2, ports, 40);
    List<Deque<Integer>> model = new ArrayList<>();
    for (int i = 0; i < 2 * (ports + 1); i++) {
      model.add(new ArrayDeque<>());
    }
    int[] waitedSince = new int[2 * (ports + 1)];
    int next = 0;
    int[] served = new int[2];
    for (int step = 0; step < 200_000; step++) {
      int lane = random.nextInt(2);
      int port = 1 + random.nextInt(ports);
      Deque<Integer> queue = model.get(lane * (ports + 1) + port);
      if (random.nextInt(100) < (step / 5000 % 2 == 0 ? 55 : 45) && queue.size() < 40) {
        if (queue.isEmpty()) {
          waitedSince[lane * (ports + 1) + port] = served[lane];
        }
        queue.add(next);
        arbiter.enqueue(lane, port, packet(next++));
      } else {
        Packet packet = arbiter.poll(lane);
        if (packet == null) {
          assertEquals(0, arbiter.depth(lane));
          continue;
        }
        served[lane]++;
        int from = lane * (ports + 1) + arbiter.polledIngress();
        assertEquals(model.get(from).poll(), packet.psn(), "seed " + seed + " step " + step);
        int waited = served[lane] - waitedSince[from];
        assertTrue(waited <= ports, "port waited " + waited + " turns, seed " + seed + " step " + step);
        waitedSince[from] = served[lane];
      }
    }
    for (int lane = 0; lane < 2; lane++) {
      while (arbiter.poll(lane) != null) {
        model.get(lane * (ports + 1) + arbiter.polledIngress()).poll();
      }
      assertNull(arbiter.poll(lane));
    }
    assertTrue(model.stream().allMatch(Deque::isEmpty));
  }

  private static Packet burst(int srcLid, int address, int length) {
    return Packet.burst(Opcode.CLAN_WRITE, srcLid, 9, 0, 0, address, 1, address, false,
        Payload.of(java.lang.foreign.MemorySegment.ofArray(new byte[length]), 0, length));
  }

  @Test
  void shouldTakeOutWhatMayBeLostAndKeepTheOrderAndTheTurnsOfTheRest() {
    for (int seed = 0; seed < 300; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      EgressArbiter arbiter = new EgressArbiter(1, 4, 100);
      List<List<Integer>> kept = List.of(new ArrayList<>(), new ArrayList<>(), new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
      int lossy = 0;
      for (int i = 0; i < 60; i++) {
        int port = 1 + random.nextInt(4);
        if (random.nextBoolean()) {
          arbiter.enqueue(0, port, packet(i));
          lossy++;
        } else {
          arbiter.enqueue(0, port, burst(port, i, 10));
          kept.get(port).add(i);
        }
      }
      for (Packet packet = arbiter.pollLossy(0); packet != null; packet = arbiter.pollLossy(0)) {
        assertEquals(Opcode.RC_SEND_ONLY, packet.opcode());
        lossy--;
      }
      assertEquals(0, lossy, "seed " + seed);
      for (Packet packet = arbiter.poll(0); packet != null; packet = arbiter.poll(0)) {
        assertEquals(kept.get(arbiter.polledIngress()).removeFirst(), packet.immediate(), "seed " + seed);
      }
      assertTrue(kept.stream().allMatch(List::isEmpty), "seed " + seed);
      assertEquals(0, arbiter.depth(0));
    }
  }

  @Test
  void shouldCutLongBurstsOnlyWhileOthersWait() {
    EgressArbiter arbiter = new EgressArbiter(1, 4, 10);
    arbiter.enqueue(0, 1, burst(1, 0, 1000));
    arbiter.enqueue(0, 2, burst(2, 0, 100));
    Packet first = arbiter.poll(0, 256);
    assertEquals(256, first.payload().length());
    assertTrue(arbiter.polledPart());
    assertEquals(2, arbiter.depth(0));
    assertEquals(2, arbiter.poll(0, 256).srcLid());
    Packet rest = arbiter.poll(0, 256);
    assertEquals(744, rest.payload().length(), "nobody waits any more");
    assertEquals(256, rest.va());
    assertEquals(false, arbiter.polledPart());
    assertNull(arbiter.poll(0, 256));
  }

  @Test
  void shouldJoinBurstsThatContinueEachOtherWhileTheyWait() {
    EgressArbiter arbiter = new EgressArbiter(1, 4, 10);
    assertEquals(false, arbiter.coalesce(0, 1, burst(1, 0, 4), 4096));
    arbiter.enqueue(0, 1, burst(1, 0, 4));
    assertTrue(arbiter.coalesce(0, 1, burst(1, 4, 4), 4096));
    assertTrue(arbiter.coalesce(0, 1, burst(1, 8, 4), 4096));
    assertEquals(false, arbiter.coalesce(0, 1, burst(1, 16, 4), 4096));
    assertEquals(false, arbiter.coalesce(0, 2, burst(1, 12, 4), 4096), "another ingress port");
    assertEquals(1, arbiter.depth(0));
    assertEquals(12, arbiter.poll(0).payload().length());
  }
}
