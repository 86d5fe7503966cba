package dev.weft.dsm.mmu;

import dev.weft.dsm.DsmBarrier;
import dev.weft.dsm.DsmCondition;
import dev.weft.dsm.DsmLock;
import dev.weft.dsm.NodeLostException;
import dev.weft.dsm.SharedMemoryException;
import dev.weft.dsm.mmu.MmuWire.Reply;
import dev.weft.dsm.mmu.MmuWire.Request;
import dev.weft.dsm.node.DsmNode;
import dev.weft.dsm.wire.ObjectSpec;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * One connection of an application: a thread of the application asks, a thread of the session answers, one request after the other. A lock that the
 * session holds when it ends is released, and the next holder learns that its holder was lost.
 */
final class MmuSession implements Runnable {
  private static final int OBJECTS_MAX = 1024;
  private static final long FOREVER = -1;

  private final MmuServer server;
  private final DsmNode node;
  private final UnixSocket socket;
  private final int pid;
  private final Map<String, DsmLock> locks = new HashMap<>();
  private final Map<String, DsmLock> held = new HashMap<>();
  private final Map<String, DsmBarrier> barriers = new HashMap<>();
  private final Map<String, DsmCondition> conditions = new HashMap<>();
  /** A file to send with the reply; -1 if none. */
  private int file = -1;
  private boolean closesFile;
  private Thread thread;
  /** Number of the request that is being answered. */
  private long number;
  /** Number of the request that waits for others; 0 if none. */
  private long waiting;
  private boolean isSayingHello;
  private boolean saidHello;
  /** This session has used the application of its process; a new connection may belong to the next one. */
  private boolean hasAsked;
  private boolean isEnding;
  private boolean isOver;

  MmuSession(MmuServer server, DsmNode node, UnixSocket socket, int pid) {
    this.server = server;
    this.node = node;
    this.socket = socket;
    this.pid = pid;
  }

  int pid() {
    return pid;
  }

  /** Answers the first request with a refusal, and ends. */
  void refuse(String why) {
    MemorySegment reply = MmuWire.buffer(MmuWire.REPLY_BYTES);
    new Reply(MmuWire.REFUSED, MmuWire.CONNECTION, 0, 0, why).encode(reply);
    socket.send(reply);
    socket.shutdown();
    while (socket.receive(reply) > 0) {
      // Reads the request, because an unread one would be an error for the process that reads the refusal.
    }
    socket.close();
  }

  @Override
  public void run() {
    synchronized (this) {
      thread = Thread.currentThread();
    }
    MemorySegment request = MmuWire.buffer(MmuWire.REQUEST_BYTES);
    MemorySegment reply = MmuWire.buffer(MmuWire.REPLY_BYTES);
    try {
      boolean goesOn = true;
      for (int bytes = socket.receive(request); goesOn && bytes > 0; bytes = goesOn ? socket.receive(request) : 0) {
        number = request.get(ValueLayout.JAVA_LONG, MmuWire.NUMBER_AT);
        (bytes == MmuWire.REQUEST_BYTES ? answer(request)
            : new Reply(MmuWire.REFUSED, MmuWire.REQUEST, 0, 0, "a request of " + bytes + " bytes, must be " + MmuWire.REQUEST_BYTES)).encode(reply);
        reply.set(ValueLayout.JAVA_LONG, MmuWire.NUMBER_AT, number);
        goesOn = file < 0 ? socket.send(reply) : socket.send(reply, file);
        if (closesFile) {
          LinuxCalls.close(file);
        }
        file = -1;
        closesFile = false;
      }
    } finally {
      synchronized (this) {
        isOver = true;
      }
      boolean _ = Thread.interrupted(); // Locks must be released all the same.
      held.values().forEach(this::abandon);
      server.ended(this);
      socket.close();
    }
  }

  /** The data that the lock protects may be half changed. */
  private void abandon(DsmLock lock) {
    try {
      node.abandon(lock);
    } catch (IllegalStateException nodeLeft) {
      // No node is left to pass it to.
    }
  }

  /** Ends the session, because its process or the server has ended. */
  synchronized void end() {
    if (!isOver) {
      isEnding = true;
      socket.shutdown();
      if (thread != null) {
        thread.interrupt();
      }
    }
  }

  /** Ends the wait of a request, which is then answered; returns false if it does not wait. Any thread. */
  synchronized boolean cancel(long request) {
    boolean waits = request != 0 && waiting == request;
    if (waits) {
      thread.interrupt();
    }
    return waits;
  }

  private synchronized void setWaiting(long request) {
    waiting = request;
    if (request == 0 && !isEnding) {
      boolean _ = Thread.interrupted(); // It was meant for the former request.
    }
  }

  /** Answers a request that may wait for others without limit. */
  private Reply waiting(Request request, Function<Request, Reply> answer) {
    setWaiting(number);
    try {
      return answer.apply(request);
    } finally {
      setWaiting(0);
    }
  }

  /**
   * Whether the session ends together with the former application of its process. A session by which the process starts anew, or may be about to,
   * does not, while the server still ends the former application.
   */
  synchronized boolean isOfApplication() {
    return (saidHello || hasAsked) && !isSayingHello;
  }

  private synchronized void setAsked() {
    hasAsked = true;
  }

  private synchronized void setHello(boolean isBeingSaid, boolean wasSaid) {
    isSayingHello = isBeingSaid;
    saidHello = wasSaid;
  }

  /** Whether this is the session by which a process sends its page faults. */
  synchronized boolean hasSaidHello() {
    return saidHello;
  }

  private Reply answer(MemorySegment bytes) {
    try {
      return answer(Request.decode(bytes));
    } catch (NodeLostException lost) {
      return new Reply(MmuWire.NODE_LOST, 0, 0, 0, lost.getMessage());
    } catch (IllegalArgumentException | IndexOutOfBoundsException | ArithmeticException wrong) {
      return new Reply(MmuWire.WRONG_VALUE, 0, 0, 0, String.valueOf(wrong.getMessage()));
    } catch (IllegalStateException | SharedMemoryException | MmuException refused) {
      return new Reply(MmuWire.REFUSED, MmuWire.REQUEST, 0, 0, String.valueOf(refused.getMessage()));
    }
  }

  private Reply answer(Request request) {
    if (request.what() != MmuWire.HELLO) {
      application(); // Fails if the application has ended, whose end also ends the waits of this connection.
    }
    return switch (request.what()) {
      case MmuWire.HELLO -> hello(request);
      case MmuWire.MAP -> map(request);
      case MmuWire.SERVE -> {
        server.serve(application(), request.a(), request.b());
        yield Reply.ok(0, 0, 0);
      }
      case MmuWire.LOCK -> waiting(request, this::lock);
      case MmuWire.UNLOCK -> unlock(request);
      case MmuWire.BARRIER -> waiting(request, this::meet);
      case MmuWire.AWAIT -> waiting(request, this::await);
      case MmuWire.SIGNAL -> {
        DsmCondition condition = condition(request);
        if (request.kind() == 0) {
          condition.signal();
        } else {
          condition.signalAll();
        }
        yield Reply.ok(0, 0, 0);
      }
      case MmuWire.PREFETCH -> fetch(request, false);
      case MmuWire.PUSH -> fetch(request, true);
      case MmuWire.FREE -> {
        node.free(request.name());
        yield Reply.ok(0, 0, 0);
      }
      case MmuWire.WHY -> new Reply(MmuWire.OK, 0, 0, 0, application().problem());
      case MmuWire.BYE -> {
        application().leave();
        yield Reply.ok(0, 0, 0);
      }
      case MmuWire.CANCEL -> Reply.ok(server.cancel(pid, request.a()) ? 1 : 0, 0, 0);
      default -> throw new IllegalArgumentException("request " + request.what() + ", must be from " + MmuWire.HELLO + " to " + MmuWire.CANCEL);
    };
  }

  private ServedApplication application() {
    ServedApplication application = server.application(pid);
    if (application == null) {
      throw new IllegalStateException("process " + pid + " has not said hello with its page faults");
    }
    setAsked();
    return application;
  }

  private Reply hello(Request request) {
    if (request.kind() != MmuWire.VERSION) {
      throw new IllegalStateException("version " + request.kind() + " of the protocol, this node speaks " + MmuWire.VERSION);
    }
    int[] files = socket.takeFiles();
    if (files.length != 1) {
      for (int unwanted : files) {
        LinuxCalls.close(unwanted);
      }
      throw new IllegalStateException("hello came with " + files.length + " open files, must be 1, the process's userfaultfd");
    }
    setHello(true, saidHello);
    try {
      file = server.attach(socket, pid, files[0]);
      setHello(false, true);
    } catch (RuntimeException refused) {
      setHello(false, saidHello);
      LinuxCalls.close(files[0]);
      throw refused;
    }
    closesFile = true;
    return Reply.ok(MmuWire.VERSION, server.pageBytes(), node.node());
  }

  private Reply map(Request request) {
    MappedArray array = server.map(request.kind(), request.name(), request.a(), request.b());
    file = array.file();
    return Reply.ok(array.id(), array.layout().strideBytes(), array.layout().bytes());
  }

  private static void requireTime(Request request) {
    if (request.a() < FOREVER) {
      throw new IllegalArgumentException("to wait " + request.a() + " ns, must be 0 or more, or -1 for ever");
    }
  }

  private Reply lock(Request request) {
    requireTime(request);
    if (held.containsKey(request.name())) {
      throw new IllegalStateException("this thread has the lock \"" + request.name() + "\" already; it is not reentrant");
    }
    if (locks.size() >= OBJECTS_MAX) {
      locks.keySet().retainAll(held.keySet());
    }
    DsmLock lock = locks.computeIfAbsent(request.name(), node::lock);
    Optional<DsmLock.Acquired> acquired = request.a() == FOREVER ? Optional.of(lock.acquire()) : lock.tryAcquire(Duration.ofNanos(request.a()));
    if (acquired.isEmpty()) {
      return Reply.ok(MmuWire.TIMED_OUT, 0, 0);
    }
    held.put(request.name(), lock);
    return Reply.ok(acquired.get() == DsmLock.Acquired.HOLDER_LOST ? MmuWire.HOLDER_LOST : MmuWire.RELEASED, 0, 0);
  }

  private Reply unlock(Request request) {
    held(request.name()).release();
    held.remove(request.name());
    return Reply.ok(0, 0, 0);
  }

  private DsmLock held(String name) {
    DsmLock lock = held.get(name);
    if (lock == null) {
      throw new IllegalStateException("this thread does not have the lock \"" + name + "\"");
    }
    return lock;
  }

  private DsmCondition condition(Request request) {
    DsmLock lock = held(request.lock());
    if (conditions.size() >= OBJECTS_MAX) {
      conditions.clear();
    }
    return conditions.computeIfAbsent(request.name() + '\n' + request.lock(), both -> node.condition(request.name(), lock));
  }

  private Reply await(Request request) {
    requireTime(request);
    DsmCondition condition = condition(request);
    boolean isWoken = true;
    if (request.a() == FOREVER) {
      condition.await();
    } else {
      isWoken = condition.await(Duration.ofNanos(request.a()));
    }
    return Reply.ok(isWoken ? MmuWire.RELEASED : MmuWire.TIMED_OUT, 0, 0);
  }

  private Reply fetch(Request request, boolean forAll) {
    MappedArray array = server.array((long) request.kind());
    ObjectSpec spec = array.table().spec();
    long length = spec.length();
    if (request.a() < 0 || request.b() < 1 || request.b() > length - request.a()) {
      throw new IllegalArgumentException(request.b() + " elements from " + request.a() + " of \"" + spec.name() + "\", which has " + length);
    }
    int first = (int) (request.a() * spec.kind().elementBytes() / spec.strideBytes());
    int last = (int) ((request.a() + request.b() - 1) * spec.kind().elementBytes() / spec.strideBytes());
    node.fetch(array.table(), first, last - first + 1, forAll);
    return Reply.ok(0, 0, 0);
  }

  private Reply meet(Request request) {
    barrier(request.name(), request.a()).await();
    return Reply.ok(0, 0, 0);
  }

  private DsmBarrier barrier(String name, long parties) {
    if (barriers.size() >= OBJECTS_MAX) {
      barriers.clear();
    }
    DsmBarrier barrier = barriers.get(name);
    if (barrier == null || barrier.parties() != parties) {
      ObjectSpec.requireParties(name, parties);
      barrier = node.barrier(name, (int) parties);
      barriers.put(name, barrier);
    }
    return barrier;
  }
}
