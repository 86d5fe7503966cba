package dev.weft.fabric.dispatch;

/** A hardware dispatcher whose dedicated thread is an actor of the test, and which would sleep as soon as it finds nothing. */
class Dispatch {
  private static final long PARK_MIN_NS = 100_000;
  private static final long PARK_MAX_NS = 1_000_000_000;
  static final HardwareDispatcherSettings SETTINGS = new HardwareDispatcherSettings(16, 16, 16, 0, 0, PARK_MIN_NS, PARK_MAX_NS,
      PARK_MAX_NS, 0, 16, PARK_MAX_NS, 1024, 64);

  final BellMemory memory = new BellMemory();
  final HardwareDispatcher dispatcher;
  private boolean sleeps;
  int runs; // as plain as what actors of the hardware keep

  Dispatch(boolean withBell) {
    dispatcher = HardwareDispatchers.obtain(this, SETTINGS, Dispatch::neverStarted);
    if (withBell) {
      dispatcher.useBell(memory.bell);
    }
  }

  private static Thread neverStarted(Runnable loop) {
    return new Thread(loop) {
      @Override
      public synchronized void start() {
        // An actor of the test does what the loop does.
      }
    };
  }

  void runUntilSleep() {
    sleeps = dispatcher.runUntilSleep();
  }

  /** Whether the dedicated thread sleeps and nobody has woken it. */
  boolean isAsleep() {
    return sleeps && dispatcher.parking.isParked() && (!dispatcher.parking.hasBell() || memory.isAsleep());
  }

  boolean hasTasks() {
    return dispatcher.cycle.hasForeign() || dispatcher.cycle.hasLocal();
  }

  /** To be called last: the dispatcher is forgotten. */
  void end() {
    dispatcher.stop();
  }
}
