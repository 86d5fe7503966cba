package dev.weft.hca.sync;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.fabric.link.LinkFaults;
import dev.weft.fabric.seeds.Seeds;
import dev.weft.hca.node.Node;
import dev.weft.hca.node.VirtualFabric;
import dev.weft.hca.sync.SyncHome.Kind;
import dev.weft.hca.verbs.ReceiveContext;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Homes that are joined through the connection manager, which also says who is lost. */
@Tag("slow")
@Tag("simulation")
@Timeout(120)
class SyncServiceTest {
  private static final long SECOND = 1_000_000_000L;
  private static final String SERVICE = "locks";

  private VirtualFabric fabric;
  private SyncService service;
  private final List<Guest> guests = new ArrayList<>();
  private final List<Integer> order = new ArrayList<>();

  /** A client that joins, and what it is told. */
  private static final class Guest implements SyncMember.Observer {
    final String node;
    final List<String> lost = new ArrayList<>();
    SyncClient client;
    SyncMember member;

    Guest(String node) {
      this.node = node;
    }

    @Override
    public void onJoined(SyncClient joined) {
      client = joined;
    }

    @Override
    public void onLost(String reason) {
      lost.add(reason);
    }
  }

  private void offer(long seed, int clientsMax, Kind... kinds) {
    fabric = VirtualFabric.create(seed, LinkFaults.NONE);
    service = SyncService.offer(fabric.addNode("home"), SERVICE, clientsMax, kinds);
  }

  private Guest invite(Node node, int objects) {
    Guest guest = new Guest(node.name());
    guest.member = SyncMember.join(node, "home", SERVICE, objects, ReceiveContext.ISR, guest);
    guests.add(guest);
    return guest;
  }

  private void inviteAll(int count, int objects) {
    for (int i = 1; i <= count; i++) {
      invite(fabric.addNode("client-" + i), objects);
    }
    until(() -> guests.stream().allMatch(guest -> guest.client != null));
  }

  private void until(BooleanSupplier condition) {
    assertTrue(fabric.system().runUntil(condition, 100 * SECOND),
        () -> "not reached; order so far " + order + ", told " + guests.stream().map(guest -> guest.lost).toList());
  }

  private void settle() {
    fabric.system().runFor(1_000_000);
  }

  private void lose(Guest guest) {
    fabric.crashNode(guest.node);
    fabric.loseNode(guest.node);
    settle();
  }

  @AfterEach
  void close() {
    if (fabric != null) {
      fabric.close();
    }
  }

  private McsLock lock(int guest) {
    return new McsLock(guests.get(guest).client, 0);
  }

  private List<McsLock> queueUp(int count) {
    List<McsLock> locks = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      int guest = i;
      locks.add(lock(i));
      locks.get(i).acquire(done -> order.add(done ? guest : -1));
      settle();
    }
    return locks;
  }

  @Test
  void shouldHandTheLockOverAmongClientsThatJoined() {
    offer(1, 8, Kind.MUTEX);
    inviteAll(4, 1);
    List<McsLock> locks = queueUp(4);
    long atomics = guests.stream().mapToLong(guest -> 1).sum();
    for (McsLock lock : locks) {
      lock.release(done -> {});
      settle();
    }
    assertEquals(List.of(0, 1, 2, 3), order);
    assertEquals(0, service.home().snapshot().getFirst().word());
    assertEquals(0, service.home().grants(), "the home took no part in " + atomics + " entries");
  }

  @Test
  void shouldGiveOnInOrderWhatALostNodeHeldOrWaitedFor() {
    offer(2, 8, Kind.MUTEX);
    inviteAll(5, 1);
    List<McsLock> locks = queueUp(5);
    lose(guests.get(0));
    assertEquals(List.of(0, 1), order);
    lose(guests.get(2));
    assertEquals(List.of(0, 1, -1), order, "a waiter is lost, as it learns itself, which is nobody's turn");
    locks.get(1).release(done -> {});
    settle();
    assertEquals(List.of(0, 1, -1, 3), order);
    locks.get(3).release(done -> {});
    settle();
    assertEquals(List.of(0, 1, -1, 3, 4), order);
    assertEquals(List.of(), guests.get(4).lost);
  }

  @Test
  void shouldGoOnWhoeverIsLostWhenever() {
    Seeds.of(SyncServiceTest.class, "sync-service", 1, 40, 40).run(seed -> {
      guests.clear();
      order.clear();
      offer(seed, 8, Kind.MUTEX);
      inviteAll(4, 1);
      Random random = new Random(seed);
      int[] left = {60};
      for (int i = 0; i < 4; i++) {
        loop(lock(i), guests.get(i), left, random);
      }
      for (int i = 0; i < 2; i++) {
        fabric.system().runFor(1 + random.nextInt(300_000));
        Guest victim = guests.get(random.nextInt(4));
        if (victim.client != null) {
          victim.client = null; // Dead: its callbacks do nothing from now on.
          fabric.crashNode(victim.node);
          fabric.system().runFor(1 + random.nextInt(300_000));
          fabric.loseNode(victim.node);
        }
      }
      until(() -> left[0] <= 0);
      settle();
      settle();
      assertEquals(0, service.home().snapshot().getFirst().word(), "seed " + seed);
      fabric.close();
      fabric = null;
    });
  }

  private void loop(McsLock lock, Guest guest, int[] left, Random random) {
    if (left[0] <= 0 || guest.client == null) {
      return;
    }
    lock.acquire(done -> {
      if (guest.client != null) {
        assertTrue(done);
        left[0]--;
        fabric.system().system().scheduler().scheduleOnce(java.time.Duration.ofNanos(1 + random.nextInt(20_000)), () -> {
          if (guest.client != null) {
            lock.release(ended -> loop(lock, guest, left, random));
          }
        }, fabric.system().system().executionContext());
      }
    });
  }

  @Test
  void shouldTellWhoHoldsAndWhoWaitsThatTheHomeIsLost() {
    offer(3, 8, Kind.MUTEX, Kind.SEMAPHORE, Kind.WAIT_QUEUE);
    inviteAll(2, 3);
    queueUp(2);
    List<Boolean> ends = new ArrayList<>();
    new CountingSemaphore(guests.get(0).client, 1).down(ends::add);
    new WaitQueue(guests.get(1).client, 2).await(ends::add);
    settle();
    fabric.crashNode("home");
    fabric.loseNode("home");
    settle();
    assertEquals(List.of(0, -1), order, "the waiter's wait ends");
    assertEquals(List.of(false, false), ends);
    assertEquals(List.of("the node of the home was lost"), guests.get(0).lost);
    new CountingSemaphore(guests.get(0).client, 1).down(ends::add);
    settle();
    assertEquals(List.of(false, false, false), ends, "later ones end at once");
  }

  @Test
  void shouldReleaseWhatAClientLeaves() {
    offer(4, 2, Kind.MUTEX);
    inviteAll(2, 1);
    queueUp(2);
    guests.get(0).member.close();
    settle();
    assertEquals(List.of(0, 1), order);
    assertEquals(1, guests.get(0).lost.size());
    Guest third = invite(fabric.addNode("client-3"), 1);
    until(() -> third.client != null);
    assertEquals(3, third.client.id(), "numbers are not used again");
    new McsLock(third.client, 0).acquire(done -> order.add(2));
    settle();
    lose(guests.get(1));
    assertEquals(List.of(0, 1, 2), order);
  }

  @Test
  void shouldSayWhyItRefuses() {
    offer(5, 1, Kind.MUTEX, Kind.MUTEX);
    Node node = fabric.addNode("client");
    Guest small = invite(node, 1);
    settle();
    assertTrue(small.lost.getFirst().contains("room for 1 objects"), small.lost::toString);
    Guest good = invite(node, 2);
    until(() -> good.client != null);
    Guest late = invite(node, 2);
    settle();
    assertTrue(late.lost.getFirst().contains("1 of 1 are connected"), late.lost::toString);
  }

  @Test
  void shouldServeAClientOfTheHomesOwnNode() {
    fabric = VirtualFabric.create(6, LinkFaults.NONE);
    Node home = fabric.addNode("home");
    service = SyncService.offer(home, SERVICE, 4, Kind.MUTEX);
    invite(home, 1);
    invite(home, 1);
    until(() -> guests.stream().allMatch(guest -> guest.client != null));
    List<McsLock> locks = queueUp(2);
    locks.get(0).release(done -> {});
    settle();
    assertEquals(List.of(0, 1), order);
  }

  @Test
  void shouldEndEveryClientWhenTheServiceCloses() {
    offer(7, 4, Kind.SEMAPHORE);
    inviteAll(2, 1);
    List<Boolean> ends = new ArrayList<>();
    new CountingSemaphore(guests.get(1).client, 0).down(ends::add);
    settle();
    service.close();
    settle();
    assertEquals(List.of(false), ends);
    assertEquals(List.of("the home ended the connection"), guests.get(0).lost);
  }
}
