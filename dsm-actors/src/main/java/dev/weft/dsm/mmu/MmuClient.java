package dev.weft.dsm.mmu;

import dev.weft.dsm.DsmLock;
import dev.weft.dsm.SharingUnit;
import dev.weft.dsm.mmu.LinuxCalls.Call;
import dev.weft.dsm.mmu.MmuWire.Reply;
import dev.weft.dsm.mmu.MmuWire.Request;
import dev.weft.dsm.wire.ObjectSpec.Kind;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Shared memory for a process of its own, by plain loads and stores. A thin shell of system calls: once an array is mapped, no code of this class
 * runs for a fault, or when a minipage is taken. One instance for each process. Any thread. Each thread that uses locks or barriers has a connection
 * of its own, which ends with the thread. A lock that it held passes on then, and the next holder learns that its holder was lost.
 *
 * <p>When the node's JVM ends, the kernel ends this process by the signal SIGIO. In Java, an access to a lost page, or to an array that was freed,
 * throws an {@link InternalError}, which {@link #why} explains.
 */
public final class MmuClient implements AutoCloseable {
  private static final int DONT_FORK = 10;
  private static final int SET_FLAGS = 4;
  private static final int SET_OWNER = 8;
  private static final int ASYNC_NO_BLOCK = 0x2800;

  /** A mapped array: its number, and whether its view is unmapped. */
  private record Mapping(int array, MappedView view, AtomicBoolean isUnmapped) {}

  private final MmuConnection main;
  private final UserFault faults;
  private final int pageBytes;
  private final int lifeline;
  private final int node;
  /** By name; the last mapping of each. */
  private final Map<String, Mapping> mappings = new HashMap<>();
  private final ThreadConnections connections;
  private boolean closed;

  /**
   * Connects to a node.
   *
   * @param directory directory in which the node serves applications
   * @throws MmuException if no node serves there, or this machine forbids it; the message says what is missing
   */
  public MmuClient(Path directory) {
    Path path = directory.toAbsolutePath().resolve(MmuWire.SOCKET_NAME);
    faults = UserFault.create();
    main = new MmuConnection(path);
    connections = new ThreadConnections(path);
    try {
      Reply hello = main.ask(new Request(MmuWire.HELLO, MmuWire.VERSION, 0, 0, ""), faults.fd());
      pageBytes = (int) hello.a();
      node = (int) hello.b();
      lifeline = main.takeFiles()[0];
    } catch (RuntimeException refused) {
      main.close();
      faults.close();
      throw refused;
    }
    LinuxCalls.require(LinuxCalls.call(Call.FCNTL, lifeline, SET_OWNER, ProcessHandle.current().pid()), "fcntl");
    LinuxCalls.require(LinuxCalls.call(Call.FCNTL, lifeline, SET_FLAGS, ASYNC_NO_BLOCK), "fcntl"); // From now on, the end of the pipe raises SIGIO.
  }

  /** Maps an array of longs; returns the same view each time. Shape and errors as for {@link dev.weft.dsm.SharedSpace#longs}. */
  public MappedView longs(String name, long length, SharingUnit unit) {
    return map(Kind.LONGS, name, length, unit);
  }

  /** Maps an array of doubles. */
  public MappedView doubles(String name, long length, SharingUnit unit) {
    return map(Kind.DOUBLES, name, length, unit);
  }

  synchronized MappedView map(Kind kind, String name, long length, SharingUnit unit) {
    long strideBytes = unit.strideBytes(length, kind.elementBytes());
    Reply reply = main.ask(new Request(MmuWire.MAP, kind.ordinal(), length, strideBytes, name));
    int file = main.takeFiles()[0];
    Mapping there = mappings.get(name);
    if (there != null && there.array == reply.value()) {
      LinuxCalls.close(file);
      return there.view;
    }
    ViewLayout layout = new ViewLayout(reply.b(), reply.a(), pageBytes);
    long address;
    try {
      address = LinuxCalls.map(file, layout.viewBytes());
    } finally {
      LinuxCalls.close(file);
    }
    LinuxCalls.require(LinuxCalls.call(Call.MADVISE, address, layout.viewBytes(), DONT_FORK), "madvise"); // A child process would write unseen.
    LinuxCalls.require(faults.register(address, layout.viewBytes()), "userfaultfd's registration of a memory file");
    main.ask(new Request(MmuWire.SERVE, 0, reply.value(), address, ""));
    AtomicBoolean isUnmapped = new AtomicBoolean();
    MappedView view = new MappedView(name, kind, length, layout, LinuxCalls.memory(address, layout.viewBytes(), isUnmapped));
    mappings.put(name, new Mapping(reply.value(), view, isUnmapped)); // The view of a freed array is unmapped when it is no longer reachable.
    return view;
  }

  /** Number of the node. */
  public int node() {
    return node;
  }

  /** Frees an array at all nodes. Later accesses throw an {@link InternalError}. */
  public synchronized void free(String name) {
    main.ask(new Request(MmuWire.FREE, 0, 0, 0, name));
    mappings.remove(name);
  }

  /** Requests readable copies of the minipages of some elements, for this node or for all, without waiting. A hint. */
  void fetch(String name, long index, long count, boolean forAll) {
    if (count > 0) {
      Mapping mapping;
      synchronized (this) {
        mapping = mappings.get(name);
      }
      if (mapping != null) {
        connections.mine().ask(new Request(forAll ? MmuWire.PUSH : MmuWire.PREFETCH, mapping.array, index, count, ""));
      }
    }
  }

  /**
   * Waits for a lock; returns true if the last holder was lost.
   *
   * @throws MmuException if this thread has the lock already
   */
  public boolean lock(String name) {
    return connections.mine().ask(new Request(MmuWire.LOCK, 0, -1, 0, name)).value() == MmuWire.HOLDER_LOST;
  }

  /** Waits for a lock for at most {@code maxNs}. */
  Optional<DsmLock.Acquired> acquire(String name, long maxNs) {
    return switch (connections.mine().ask(new Request(MmuWire.LOCK, 0, maxNs, 0, name)).value()) {
      case MmuWire.RELEASED -> Optional.of(DsmLock.Acquired.RELEASED);
      case MmuWire.HOLDER_LOST -> Optional.of(DsmLock.Acquired.HOLDER_LOST);
      default -> Optional.empty();
    };
  }

  /**
   * Releases a lock that this thread has, waits for a signal for at most {@code maxNs}, for ever if -1, and acquires the lock again; returns false if
   * no signal came.
   */
  boolean await(String condition, String lock, long maxNs) {
    return connections.mine().ask(new Request(MmuWire.AWAIT, 0, maxNs, 0, condition, lock)).value() != MmuWire.TIMED_OUT;
  }

  /** Wakes one or all of the threads that wait for a condition. The calling thread has the condition's lock. */
  void signal(String condition, String lock, boolean all) {
    connections.mine().ask(new Request(MmuWire.SIGNAL, all ? 1 : 0, 0, 0, condition, lock));
  }

  /** The duration as requests carry it: at least 0, because a negative value means for ever. */
  static long nanos(Duration max) {
    return max.isNegative() ? 0 : max.compareTo(Duration.ofNanos(Long.MAX_VALUE)) > 0 ? Long.MAX_VALUE : max.toNanos();
  }

  /** Waits for a lock for at most {@code max}, not at all with 0 or less; returns whether this thread has it now. */
  public boolean tryLock(String name, Duration max) {
    return connections.mine().ask(new Request(MmuWire.LOCK, 0, nanos(max), 0, name)).value() != MmuWire.TIMED_OUT;
  }

  /** Releases a lock. */
  public void unlock(String name) {
    connections.mine().ask(new Request(MmuWire.UNLOCK, 0, 0, 0, name));
  }

  /** Waits until {@code parties} threads of all nodes have called this. */
  public void barrier(String name, int parties) {
    connections.mine().ask(new Request(MmuWire.BARRIER, 0, parties, 0, name));
  }

  /** Why the node has last made a page fail; empty if it has not. */
  public String why() {
    return main.ask(new Request(MmuWire.WHY, 0, 0, 0, "")).text();
  }

  /** Unmaps all views, which no thread may touch any more, and leaves. */
  @Override
  public synchronized void close() {
    if (closed) {
      return;
    }
    closed = true;
    LinuxCalls.call(Call.FCNTL, lifeline, SET_FLAGS, 0);
    mappings.values().forEach(mapping -> LinuxCalls.unmap(mapping.view.memory(), mapping.isUnmapped));
    try {
      main.ask(new Request(MmuWire.BYE, 0, 0, 0, ""));
    } catch (IllegalStateException | MmuException nodeHasEnded) {
      // The node knows it already.
    }
    connections.close();
    main.close();
    faults.close();
    LinuxCalls.close(lifeline);
  }
}
