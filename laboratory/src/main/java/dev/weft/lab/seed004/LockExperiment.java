package dev.weft.lab.seed004;

import com.typesafe.config.ConfigFactory;
import dev.weft.fabric.link.LinkFaults;
import dev.weft.hca.node.Node;
import dev.weft.hca.node.VirtualFabric;
import dev.weft.hca.sync.CountingSemaphore;
import dev.weft.hca.sync.McsLock;
import dev.weft.hca.sync.SyncHome.Kind;
import dev.weft.hca.sync.SyncMesh;
import dev.weft.hca.sync.WaitQueue;
import dev.weft.hca.verbs.ReceiveContext;
import dev.weft.lab.hosts.HardwareProfile;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * Latencies of locks, semaphores and wait queues beside a plain atomic (seed 004, abstract), on a hardware profile in virtual time: two
 * clients, callbacks in an interrupt service routine. Nanoseconds.
 *
 * @param atomic a fetch-and-add up to its result
 * @param enter entering a free lock, and {@code leave} leaving it
 * @param handOver from the holder's leaving to the waiter's entering
 * @param down going down a semaphore that has units, and {@code up} going up
 * @param admit from going up to the waiter's going on
 * @param wakeCall waking nobody
 * @param wake from waking to the waiter's going on
 */
public record LockExperiment(long atomic, long enter, long leave, long handOver, long down, long up, long admit, long wakeCall, long wake) {
  private static final long PATIENCE_NS = 1_000_000_000L;
  private static final int PLAIN = 3;

  /** Runs all of them, one after another. */
  public static LockExperiment run(HardwareProfile profile, long seed) {
    try (VirtualFabric fabric = new VirtualFabric(seed, profile, LinkFaults.NONE, ConfigFactory.empty())) {
      Node home = fabric.addNode("home");
      List<Node> nodes = List.of(fabric.addNode("client-1"), fabric.addNode("client-2"));
      SyncMesh mesh = SyncMesh.connect(home, nodes, ReceiveContext.ISR, Kind.MUTEX, Kind.SEMAPHORE, Kind.WAIT_QUEUE, Kind.SEMAPHORE);
      mesh.home().initialize(1, 1);
      fabric.system().runFor(1_000_000);
      Timing time = new Timing(fabric);
      McsLock one = new McsLock(mesh.clients().get(0), 0);
      McsLock two = new McsLock(mesh.clients().get(1), 0);
      // Nobody waits for this one, so going up is a fetch-and-add and nothing else.
      CountingSemaphore plain = new CountingSemaphore(mesh.clients().get(0), PLAIN);
      long atomic = time.of(done -> plain.up(ok -> done.run()));
      long enter = time.of(done -> one.acquire(ok -> done.run()));
      two.acquire(ok -> time.waiter());
      fabric.system().runFor(1_000_000);
      long handOver = time.ofWaiter(() -> one.release(ok -> {}));
      long leave = time.of(done -> two.release(ok -> done.run()));
      CountingSemaphore first = new CountingSemaphore(mesh.clients().get(0), 1);
      CountingSemaphore second = new CountingSemaphore(mesh.clients().get(1), 1);
      long down = time.of(done -> first.down(ok -> done.run()));
      second.down(ok -> time.waiter());
      fabric.system().runFor(1_000_000);
      long admit = time.ofWaiter(() -> first.up(ok -> {}));
      long up = time.of(done -> second.up(ok -> done.run()));
      long wakeCall = time.of(done -> new WaitQueue(mesh.clients().get(0), 2).wake(1, count -> done.run()));
      new WaitQueue(mesh.clients().get(1), 2).await(ok -> time.waiter());
      fabric.system().runFor(1_000_000);
      long wake = time.ofWaiter(() -> new WaitQueue(mesh.clients().get(0), 2).wake(1, count -> {}));
      return new LockExperiment(atomic, enter, leave, handOver, down, up, admit, wakeCall, wake);
    }
  }

  /** What a semaphore or a wait queue adds to a plain atomic where nobody waits, in percent; {@code ns} is its latency. */
  public double addedPercent(long ns) {
    return 100.0 * (ns - atomic) / atomic;
  }

  /** Names and nanoseconds, for a table. */
  public List<String> lines() {
    List<String> lines = new ArrayList<>();
    lines.add(line("fetch-and-add", atomic));
    lines.add(line("lock, free: enter", enter));
    lines.add(line("lock, free: leave", leave));
    lines.add(line("lock: hand-over", handOver));
    lines.add(line("semaphore: down", down));
    lines.add(line("semaphore: up", up));
    lines.add(line("semaphore: up to waiter", admit));
    lines.add(line("wait queue: wake nobody", wakeCall));
    lines.add(line("wait queue: wake to waiter", wake));
    return lines;
  }

  private static String line(String what, long ns) {
    return String.format(java.util.Locale.ROOT, "%-28s %8.2f us", what, ns / 1e3);
  }

  private static final class Timing {
    private final VirtualFabric fabric;
    private boolean waited;

    Timing(VirtualFabric fabric) {
      this.fabric = fabric;
    }

    void waiter() {
      waited = true;
    }

    long of(Consumer<Runnable> operation) {
      boolean[] done = new boolean[1];
      return measure(() -> operation.accept(() -> done[0] = true), () -> done[0]);
    }

    long ofWaiter(Runnable operation) {
      waited = false;
      return measure(operation, () -> waited);
    }

    private long measure(Runnable operation, BooleanSupplier done) {
      long startNs = fabric.system().nowNs();
      operation.run();
      if (!fabric.system().runUntil(done, PATIENCE_NS)) {
        throw new IllegalStateException("an operation did not end within " + PATIENCE_NS + " ns of virtual time");
      }
      long ns = fabric.system().nowNs() - startNs;
      fabric.system().runFor(1_000_000);
      return ns;
    }
  }
}
