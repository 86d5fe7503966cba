package dev.weft.hca.sync;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.fabric.link.LinkFaults;
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

@Tag("slow")
@Tag("simulation")
@Timeout(120)
class SyncTest {
  private static final long SECOND = 1_000_000_000L;
  private VirtualFabric fabric;
  private Node homeNode;
  private SyncMesh mesh;
  private final List<Integer> order = new ArrayList<>();

  private void start(long seed, int clients, Kind... kinds) {
    start(seed, LinkFaults.NONE, clients, kinds);
  }

  private void start(long seed, LinkFaults faults, int clients, Kind... kinds) {
    fabric = VirtualFabric.create(seed, faults);
    homeNode = fabric.addNode("home");
    List<Node> nodes = new ArrayList<>();
    for (int i = 1; i <= clients; i++) {
      nodes.add(fabric.addNode("client-" + i));
    }
    mesh = SyncMesh.connect(homeNode, nodes, ReceiveContext.ISR, kinds);
    settle();
  }

  @AfterEach
  void close() {
    if (fabric != null) {
      fabric.close();
    }
  }

  private void settle() {
    fabric.system().runFor(1_000_000);
  }

  private void until(BooleanSupplier condition) {
    assertTrue(fabric.system().runUntil(condition, 10 * SECOND), () -> "not reached; order so far " + order);
  }

  private McsLock lock(int client) {
    return new McsLock(mesh.clients().get(client), 0);
  }

  private long packets() {
    return homeNode.hca().inspect().counters().packetsReceived();
  }

  @Test
  void shouldEnterAndLeaveAFreeLockWithOneAtomicEach() {
    start(1, 2, Kind.MUTEX);
    McsLock lock = lock(0);
    long before = homeNode.hca().inspect().counters().atomicsExecuted();
    lock.acquire(done -> order.add(1));
    settle();
    assertTrue(lock.isHeld());
    lock.release(done -> order.add(2));
    settle();
    assertEquals(List.of(1, 2), order);
    assertEquals(2, homeNode.hca().inspect().counters().atomicsExecuted() - before);
    assertEquals(0, mesh.home().snapshot().getFirst().word());
  }

  @Test
  void shouldTellTheHolderThatSomebodyWaitsAndTheWaiterThatItIsQueued() {
    start(8, 2, Kind.MUTEX);
    McsLock held = lock(0);
    held.acquire(() -> order.add(-1), done -> order.add(0));
    settle();
    held.whenAwaited(() -> order.add(100));
    settle();
    assertEquals(List.of(0), order, "nobody waits, and who finds it free is never queued");
    lock(1).acquire(() -> order.add(10), done -> order.add(1));
    settle();
    assertEquals(List.of(0, 10, 100), order);
    held.release(done -> {});
    settle();
    assertEquals(List.of(0, 10, 100, 1), order);
  }

  @Test
  void shouldServeTheLockInTheOrderOfArrivalAndSendNothingMeanwhile() {
    start(2, 5, Kind.MUTEX);
    List<McsLock> locks = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      int client = i;
      locks.add(lock(i));
      locks.get(i).acquire(done -> order.add(client));
      settle();
    }
    assertEquals(List.of(0), order);
    long before = packets();
    fabric.system().runFor(SECOND);
    assertEquals(before, packets(), "nothing is sent to the home while they wait");
    for (int i = 0; i < 5; i++) {
      locks.get(i).release(done -> {});
      settle();
      assertEquals(Math.min(5, i + 2), order.size());
    }
    assertEquals(List.of(0, 1, 2, 3, 4), order);
    assertEquals(0, mesh.home().snapshot().getFirst().word());
    assertEquals(List.of(), mesh.home().snapshot().getFirst().clients());
  }

  @Test
  void shouldReleaseTheWaitersOfADeadHolder() {
    start(3, 4, Kind.MUTEX);
    List<McsLock> locks = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      int client = i;
      locks.add(lock(i));
      locks.get(i).acquire(done -> order.add(client));
      settle();
    }
    kill(0);
    settle();
    assertEquals(List.of(0, 1), order);
    kill(2);
    settle();
    locks.get(1).release(done -> {});
    settle();
    assertEquals(List.of(0, 1, 3), order, "the dead one in the middle is passed over");
    kill(3);
    settle();
    assertEquals(0, mesh.home().snapshot().getFirst().word());
    locks.get(1).acquire(done -> order.add(1));
    settle();
    assertEquals(List.of(0, 1, 3, 1), order);
  }

  @Test
  void shouldLetNewcomersInBehindADeadOne() {
    start(4, 3, Kind.MUTEX);
    McsLock first = lock(0);
    first.acquire(done -> order.add(0));
    settle();
    lock(1).acquire(done -> order.add(1));
    settle();
    kill(1);
    settle();
    lock(2).acquire(done -> order.add(2));
    settle();
    assertEquals(List.of(0), order);
    first.release(done -> {});
    settle();
    assertEquals(List.of(0, 2), order);
  }

  private void kill(int client) {
    fabric.link("client-" + (client + 1)).setPartitioned(true);
    mesh.home().clientLost(client + 1);
  }

  @Test
  void shouldExcludeEachOtherInRandomOrder() {
    for (long seed = 1; seed <= 10; seed++) {
      new Crowd(seed, LinkFaults.NONE, 200).play(0);
    }
  }

  @Test
  void shouldExcludeEachOtherThoughPacketsAreLost() {
    for (long seed = 21; seed <= 26; seed++) {
      new Crowd(seed, new LinkFaults(0.01, 0, 0, 0, 0), 100).play(0);
    }
  }

  @Test
  void shouldGoOnWhoeverDiesWhenever() {
    for (long seed = 31; seed <= 90; seed++) {
      new Crowd(seed, LinkFaults.NONE, 120).play(2);
    }
  }

  /** Four clients that enter and leave; some die. */
  private final class Crowd {
    private static final int CLIENTS = 4;
    private final long seed;
    private final Random random;
    private final boolean[] dead = new boolean[CLIENTS];
    private int left;
    private int holder = -1;
    private boolean over;

    Crowd(long seed, LinkFaults faults, int entries) {
      this.seed = seed;
      left = entries;
      random = new Random(seed);
      start(seed, faults, CLIENTS, Kind.MUTEX);
    }

    void play(int deaths) {
      for (int i = 0; i < CLIENTS; i++) {
        loop(lock(i), i);
      }
      for (int i = 0; i < deaths; i++) {
        fabric.system().runFor(1 + random.nextInt(300_000));
        int victim = random.nextInt(CLIENTS);
        if (!dead[victim]) {
          dead[victim] = true;
          holder = holder == victim ? -1 : holder;
          kill(victim);
        }
      }
      assertTrue(fabric.system().runUntil(() -> left <= 0 && holder < 0, 20 * SECOND),
          () -> "seed " + seed + ": " + left + " entries left, holder " + holder + ", " + mesh.home().snapshot());
      assertTrue(fabric.system().runUntil(() -> mesh.home().snapshot().getFirst().word() == 0, 20 * SECOND),
          () -> "seed " + seed + ": " + mesh.home().snapshot());
      over = true;
      fabric.close();
      fabric = null;
    }

    private void loop(McsLock lock, int client) {
      if (left <= 0 || dead[client]) {
        return;
      }
      lock.acquire(done -> {
        if (dead[client] || over) {
          return; // Who still waits at the end is told so.
        }
        assertTrue(done, "seed " + seed);
        assertEquals(-1, holder, "seed " + seed + ": " + client + " enters while somebody is inside");
        holder = client;
        left--;
        fabric.system().system().scheduler().scheduleOnce(java.time.Duration.ofNanos(1 + random.nextInt(20_000)), () -> {
          if (!dead[client]) {
            holder = -1;
            lock.release(ended -> loop(lock, client));
          }
        }, fabric.system().system().executionContext());
      });
    }
  }

  @Test
  void shouldAdmitAsManyAsTheSemaphoreHasUnitsFirstComeFirst() {
    start(5, 4, Kind.SEMAPHORE);
    mesh.home().initialize(0, 2);
    List<CountingSemaphore> all = mesh.clients().stream().map(client -> new CountingSemaphore(client, 0)).toList();
    for (int i = 0; i < 4; i++) {
      int client = i;
      all.get(i).down(done -> order.add(client));
      settle();
    }
    assertEquals(List.of(0, 1), order);
    long before = packets();
    fabric.system().runFor(SECOND);
    assertEquals(before, packets());
    all.get(0).up(done -> {});
    settle();
    assertEquals(List.of(0, 1, 2), order);
    kill(1);
    settle();
    assertEquals(List.of(0, 1, 2, 3), order, "the unit of the dead holder goes on");
    kill(2);
    settle();
    assertEquals(1, mesh.home().snapshot().getFirst().word());
  }

  @Test
  void shouldWakeInOrderAndForgetWakingNobody() {
    start(6, 4, Kind.WAIT_QUEUE);
    List<WaitQueue> all = mesh.clients().stream().map(client -> new WaitQueue(client, 0)).toList();
    long[] woken = {-1};
    all.get(3).wake(1, count -> woken[0] = count);
    settle();
    assertEquals(0, woken[0]);
    for (int i = 0; i < 3; i++) {
      int client = i;
      all.get(i).await(done -> order.add(client));
      settle();
    }
    assertEquals(List.of(), order);
    all.get(3).wake(1, count -> woken[0] = count);
    settle();
    assertEquals(1, woken[0]);
    assertEquals(List.of(0), order);
    kill(1);
    all.get(3).wakeAll(count -> woken[0] = count);
    settle();
    assertEquals(1, woken[0]);
    assertEquals(List.of(0, 2), order);
  }

  @Test
  void shouldTellWhoWaitsThatTheHomeIsGone() {
    start(7, 2, Kind.SEMAPHORE);
    List<Boolean> ends = new ArrayList<>();
    new CountingSemaphore(mesh.clients().get(0), 0).down(ends::add);
    settle();
    mesh.clients().get(0).homeLost("the home is gone");
    settle();
    assertEquals(List.of(false), ends);
    assertFalse(mesh.clients().get(0).counters().failure() == null);
  }
}
