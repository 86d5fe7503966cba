package dev.weft.pager.nbd;

import dev.weft.pager.BlockDevice;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

/**
 * A device that takes a promise of help at its word: what is submitted inside the scope runs in {@code help}, or on the hardware
 * thread once the scope closes, and never if neither happens. It watches the promising thread for sleeping inside the
 * scope, and throws where it is told to.
 */
final class PromisingDevice implements BlockDevice {
  /** The call that throws. */
  enum Fault { ACQUIRE, READ, WRITE, WRITE_AFTER_COMPLETION, ZEROES, FLUSH, HELP, PROMISE, CLOSE_OF_PROMISE }

  /** Identity tells one scope from the next. */
  private record Scope(Thread thread) {}

  private final BlockDevice real;
  private final Executor hardware;
  private final Queue<Runnable> deferred = new ConcurrentLinkedQueue<>();
  private final List<String> violations = new CopyOnWriteArrayList<>();
  private final AtomicInteger opened = new AtomicInteger();
  private final AtomicInteger closed = new AtomicInteger();
  private volatile Scope scope;
  private volatile Fault fault;
  private volatile boolean error;
  private volatile boolean helpsSlowly;
  private final AtomicInteger callsBeforeFault = new AtomicInteger();

  PromisingDevice(BlockDevice real, Executor hardware) {
    this.real = real;
    this.hardware = hardware;
  }

  /** Throws at the {@code call}th call of that kind from now, once; an Error or a RuntimeException. */
  void failAt(Fault kind, int call, boolean asError) {
    callsBeforeFault.set(call);
    error = asError;
    fault = kind;
  }

  /** From here on {@code help} runs one request and leaves the others for later. */
  void helpSlowly() {
    helpsSlowly = true;
  }

  boolean hasFailed() {
    return fault == null;
  }

  int scopes() {
    return opened.get();
  }

  int openScopes() {
    return opened.get() - closed.get();
  }

  List<String> violations() {
    return new ArrayList<>(violations);
  }

  private void maybeFail(Fault kind) {
    if (fault == kind && callsBeforeFault.decrementAndGet() == 0) {
      fault = null;
      if (error) {
        throw new AssertionError("injected at " + kind);
      }
      throw new IllegalStateException("injected at " + kind);
    }
  }

  private void submit(Runnable action) {
    Scope current = scope;
    if (current != null && current.thread == Thread.currentThread()) {
      deferred.add(action);
    } else {
      hardware.execute(action);
    }
  }

  private void runDeferred() {
    for (Runnable action = deferred.poll(); action != null; action = deferred.poll()) {
      action.run();
    }
  }

  @Override
  public Promise promiseHelp() {
    maybeFail(Fault.PROMISE);
    if (scope != null) {
      violations.add("a scope inside a scope");
    }
    Scope mine = new Scope(Thread.currentThread());
    scope = mine;
    opened.getAndIncrement();
    Thread.ofVirtual().start(() -> watch(mine));
    return () -> close(mine);
  }

  private void close(Scope mine) {
    if (scope != mine || Thread.currentThread() != mine.thread) {
      violations.add("closed twice or by another thread");
    }
    scope = null;
    closed.getAndIncrement();
    hardware.execute(this::runDeferred);
    maybeFail(Fault.CLOSE_OF_PROMISE);
  }

  /** Two looks at the scope around one at the stack: no false alarm when the scope closes in between. */
  private void watch(Scope mine) {
    while (scope == mine) {
      for (StackTraceElement frame : mine.thread.getStackTrace()) {
        if (frame.getMethodName().equals("select") && scope == mine) {
          violations.add("asleep inside the scope");
          return;
        }
      }
      if (!mine.thread.isAlive() && scope == mine) {
        violations.add("ended inside the scope");
        return;
      }
      Thread.yield();
    }
  }

  @Override
  public boolean help(BooleanSupplier until, long maxNs) {
    maybeFail(Fault.HELP);
    Runnable first = helpsSlowly ? deferred.poll() : null;
    if (first != null) {
      first.run();
    } else {
      runDeferred();
    }
    return until.getAsBoolean();
  }

  @Override
  public long sizeBytes() {
    return real.sizeBytes();
  }

  @Override
  public int preferredBlockBytes() {
    return real.preferredBlockBytes();
  }

  @Override
  public int maxRequestBytes() {
    return real.maxRequestBytes();
  }

  @Override
  public Buffer tryAcquire(int lengthBytes, Runnable whenAvailable) {
    maybeFail(Fault.ACQUIRE);
    return real.tryAcquire(lengthBytes, whenAvailable);
  }

  @Override
  public void read(long offset, Buffer into, Completion completion) {
    maybeFail(Fault.READ);
    submit(() -> real.read(offset, into, completion));
  }

  @Override
  public void write(long offset, Buffer from, boolean fua, Completion completion) {
    maybeFail(Fault.WRITE);
    if (fault == Fault.WRITE_AFTER_COMPLETION) {
      real.write(offset, from, fua, completion);
      maybeFail(Fault.WRITE_AFTER_COMPLETION);
    } else {
      submit(() -> real.write(offset, from, fua, completion));
    }
  }

  @Override
  public void flush(Completion completion) {
    maybeFail(Fault.FLUSH);
    submit(() -> real.flush(completion));
  }

  @Override
  public void trim(long offset, long length, Completion completion) {
    submit(() -> real.trim(offset, length, completion));
  }

  @Override
  public void writeZeroes(long offset, long length, boolean mayTrim, Completion completion) {
    maybeFail(Fault.ZEROES);
    submit(() -> real.writeZeroes(offset, length, mayTrim, completion));
  }

  @Override
  public void cache(long offset, long length, Completion completion) {
    submit(() -> real.cache(offset, length, completion));
  }

  @Override
  public void blockStatus(long offset, long length, ExtentSink sink, Completion completion) {
    submit(() -> real.blockStatus(offset, length, sink, completion));
  }
}
