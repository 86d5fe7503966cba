package dev.weft.pvfs.fuse;

/** A thread that reads requests from a descriptor and begins them. */
final class Worker {
  private static final int FAILURES_MAX = 100;

  private final FuseSession session;
  private final Descriptor descriptor;
  private final Thread thread;
  private final FuseRequest request = new FuseRequest();
  private volatile int threadNumber;
  private RequestBuffer buffer;
  private int failures;

  Worker(FuseSession session, Descriptor descriptor, String name) {
    this.session = session;
    this.descriptor = descriptor;
    thread = Thread.ofPlatform().name(name).daemon().unstarted(this::run);
  }

  void start() {
    thread.start();
  }

  boolean isAlive() {
    return thread.isAlive();
  }

  /** Makes it check whether it must end. */
  void wake() {
    thread.interrupt();
    int number = threadNumber;
    if (number != 0) {
      WakeSignal.wake(number);
    }
  }

  /** Waits for its end; returns whether it has ended. */
  boolean join(long ms) throws InterruptedException {
    thread.join(Math.max(ms, 1));
    return !thread.isAlive();
  }

  boolean isCurrent() {
    return Thread.currentThread() == thread;
  }

  private void run() {
    if (!descriptor.enter()) {
      return;
    }
    threadNumber = WakeSignal.thread();
    try {
      boolean goesOn = true;
      while (goesOn && !session.isClosing()) {
        goesOn = serveOne();
      }
    } catch (InterruptedException closing) {
      // Only the session interrupts it, to end it.
    } finally {
      threadNumber = 0;
      descriptor.leave();
      session.workerEnded();
    }
  }

  private boolean serveOne() throws InterruptedException {
    Outstanding outstanding = session.outstanding();
    outstanding.acquire();
    if (buffer == null) {
      buffer = session.buffers().take();
    }
    outstanding.reads(true);
    int length = descriptor.receive(buffer.request());
    outstanding.reads(false);
    if (length >= 0) {
      failures = 0;
      buffer = session.handler().handle(descriptor, buffer, request, length);
      return true;
    }
    outstanding.release();
    return goesOnAfter(length);
  }

  private boolean goesOnAfter(int error) {
    return switch (error) {
      case LinuxCalls.EINTR, LinuxCalls.EAGAIN, LinuxCalls.ENOENT -> true; // Woken, or the request was withdrawn.
      case LinuxCalls.ENODEV, LinuxCalls.ECONNABORTED -> false; // Unmounted.
      default -> {
        session.handler().logOnce(0, "the device cannot be read: " + LinuxCalls.errorName(error), null);
        failures++;
        yield failures < FAILURES_MAX;
      }
    };
  }
}
