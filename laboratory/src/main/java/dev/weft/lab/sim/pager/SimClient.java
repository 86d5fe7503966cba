package dev.weft.lab.sim.pager;

import akka.actor.typed.ActorRef;
import akka.actor.typed.Behavior;
import akka.actor.typed.javadsl.Behaviors;
import dev.weft.fabric.time.FabricContext;
import dev.weft.hca.node.Node;
import dev.weft.lab.kit.Draw;
import dev.weft.pager.BlockDevice;
import dev.weft.pager.Errno;
import dev.weft.pager.client.PagerClient;
import dev.weft.pager.client.PagerDevice;
import dev.weft.pager.client.ServerSpec;
import dev.weft.pager.server.MemoryServer;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;

/**
 * The application of one client node. It opens a device and keeps requests in flight. When it has lost a server, it may open another device, by
 * chance. It is a role of its node, so a fault that stops the node stops it, too.
 */
final class SimClient {
  /** Messages of the application to itself. */
  sealed interface Command {}

  /** Go on. */
  enum Step implements Command {
    INSTANCE
  }

  private record Release(Runnable release) implements Command {}

  private static final long REOPEN_PAUSE_NS = 200_000_000L;
  private static final double HELD_BACK = 0.1;

  private final ClusterRun run;
  private final Node node;
  private final int nodeIndex;
  private final Draw draw;
  private final OpPlanner planner;
  private final long thinkNs;
  private ActorRef<Command> self;
  private PagerDevice device;
  private DeviceHistory history;
  private long openedNs;
  private boolean opening;
  private boolean dead;
  private boolean finishing;
  private boolean sawError;
  /** The maximum number of requests is in flight; the next one that ends continues. */
  private boolean isFull;
  private int opsLeft;
  private int finalSector;
  private int inFlight;
  private int waitingForBuffer;
  private int held;
  private int opened;

  SimClient(ClusterRun run, Node node, int nodeIndex, int ops, Draw draw) {
    this.run = run;
    this.node = node;
    this.nodeIndex = nodeIndex;
    this.draw = draw;
    this.opsLeft = ops;
    this.planner = new OpPlanner(draw.split(), run.scenario());
    this.thinkNs = (long) draw.logarithmic(100, 500_000);
  }

  void start() {
    self = node.spawnRole(behavior(), "application");
    self.tell(Step.INSTANCE);
    run.watch(self, () -> dead);
  }

  private Behavior<Command> behavior() {
    return Behaviors.setup(context -> Behaviors.receiveMessage(this::onMessage));
  }

  private Behavior<Command> onMessage(Command command) {
    switch (command) {
      case Step step -> step();
      case Release release -> release.release().run();
    }
    return Behaviors.same();
  }

  /** Its node dies: later results of its device do not count. */
  void die() {
    dead = true;
  }

  int opsLeft() {
    return opsLeft;
  }

  Node node() {
    return node;
  }

  int nodeIndex() {
    return nodeIndex;
  }

  PagerDevice device() {
    return device;
  }

  DeviceHistory history() {
    return history;
  }

  long openedNs() {
    return openedNs;
  }

  boolean isIdle() {
    return opsLeft == 0 && inFlight == 0 && waitingForBuffer == 0 && held == 0 && device != null;
  }

  boolean isFinished() {
    return finishing && finalSector >= run.scenario().sectors() && isIdle();
  }

  String state() {
    return node.name() + ": " + opsLeft + " requests to come, " + inFlight + " in flight, " + waitingForBuffer
        + " waiting for a buffer, " + held + " buffers held, " + (device == null ? opening ? "opening" : "not open" : "open");
  }

  /** All faults are over and the workload is done: reads everything once more. */
  void finish() {
    finishing = true;
    self.tell(Step.INSTANCE);
  }

  private void step() {
    if (dead) {
      return;
    }
    if (device == null) {
      open();
      return;
    }
    if (finishing) {
      readRest();
      return;
    }
    if (sawError && draw.chance(0.05) && run.areAllServersUp()) {
      reopen();
      return;
    }
    for (int burst = draw.skewed(1, 8); burst > 0 && opsLeft > 0 && inFlight + waitingForBuffer < run.scenario().depth(); burst--) {
      opsLeft--;
      begin(planner.next());
    }
    isFull = inFlight + waitingForBuffer >= run.scenario().depth();
    if (opsLeft > 0 && !isFull) {
      at(fabric().clock().nowNs() + 1 + draw.between(0L, 2 * thinkNs), Step.INSTANCE);
    }
  }

  private void readRest() {
    int max = device.maxRequestBytes() / Sectors.BYTES;
    int total = run.scenario().sectors();
    while (finalSector < total && inFlight + waitingForBuffer < run.scenario().depth()) {
      int count = Math.min(max, total - finalSector);
      begin(new OpPlanner.Plan(OpKind.READ, (long) finalSector * Sectors.BYTES, (long) count * Sectors.BYTES, false));
      finalSector += count;
    }
  }

  private FabricContext fabric() {
    return node.context();
  }

  private void at(long timeNs, Command command) {
    fabric().timers().at(timeNs, self, command);
  }

  // The device.

  private void open() {
    if (opening) {
      return;
    }
    opening = true;
    sawError = false;
    List<ServerSpec> specs = new ArrayList<>();
    for (int i = 0; i < run.scenario().servers(); i++) {
      specs.add(new ServerSpec(run.nodeName(i), MemoryServer.SERVICE, run.scenario().areaBytes()));
    }
    long startNs = fabric().clock().nowNs();
    String name = "d" + opened++;
    PagerClient.open(node, name, specs, run.scenario().client(), null, new PagerClient.OpenListener() {
      @Override
      public void onOpen(PagerDevice opened) {
        onOpened(opened, name, startNs);
      }

      @Override
      public void onFailed(String reason) {
        onOpenFailed(reason, startNs);
      }
    });
  }

  private void onOpened(PagerDevice openedDevice, String name, long startNs) {
    opening = false;
    if (dead) {
      return;
    }
    device = openedDevice;
    run.watch(openedDevice.actor(), () -> dead || device != openedDevice);
    openedNs = startNs;
    history = run.newHistory(node.name() + "/" + name);
    run.note(node.name() + " has opened " + name);
    self.tell(Step.INSTANCE);
  }

  private void onOpenFailed(String reason, long startNs) {
    opening = false;
    if (dead) {
      return;
    }
    run.onOpenFailed(this, reason, startNs);
    at(fabric().clock().nowNs() + REOPEN_PAUSE_NS, Step.INSTANCE);
  }

  private void reopen() {
    run.onClosing(this);
    PagerDevice old = device;
    device = null;
    old.close();
    at(fabric().clock().nowNs() + draw.between(1L, REOPEN_PAUSE_NS), Step.INSTANCE);
  }

  // Requests.

  private void begin(OpPlanner.Plan plan) {
    if (plan.kind() == OpKind.READ || plan.kind() == OpKind.WRITE) {
      acquire(device, history, plan);
    } else {
      submit(device, history, plan, null);
    }
  }

  private void acquire(PagerDevice target, DeviceHistory its, OpPlanner.Plan plan) {
    BlockDevice.Buffer buffer = target.tryAcquire((int) plan.length(), () -> {
      waitingForBuffer--;
      if (!dead) {
        acquire(target, its, plan);
      }
    });
    if (buffer == null) {
      waitingForBuffer++;
    } else {
      submit(target, its, plan, buffer);
    }
  }

  private void submit(PagerDevice target, DeviceHistory its, OpPlanner.Plan plan, BlockDevice.Buffer buffer) {
    long nowNs = fabric().clock().nowNs();
    DeviceHistory.Op op = its.begin(run.nextOpId(), plan.kind(), plan.offset(), plan.length(), nowNs);
    run.onBegin(this, op);
    inFlight++;
    ExtentCheck extents = new ExtentCheck(op, its, run);
    BlockDevice.Completion done = errno -> ended(its, op, buffer, extents, errno);
    switch (plan.kind()) {
      case READ -> {
        buffer.segment().fill((byte) 0x5a);
        target.read(plan.offset(), buffer, done);
      }
      case WRITE -> {
        Sectors.fill(buffer.segment(), op.firstSector(), op.id);
        target.write(plan.offset(), buffer, plan.flag(), done);
      }
      case TRIM -> target.trim(plan.offset(), plan.length(), done);
      case ZERO -> target.writeZeroes(plan.offset(), plan.length(), plan.flag(), done);
      case STATUS -> target.blockStatus(plan.offset(), plan.length(), extents, done);
      case FLUSH -> target.flush(done);
    }
  }

  private void ended(DeviceHistory its, DeviceHistory.Op op, BlockDevice.Buffer buffer, ExtentCheck extents, int errno) {
    if (dead) {
      return;
    }
    long nowNs = fabric().clock().nowNs();
    if (!op.isOver()) {
      inFlight--;
      if (errno == Errno.OK) {
        observe(its, op, buffer, extents, nowNs);
      }
    }
    its.end(op, errno, nowNs);
    run.onEnd(this, op);
    sawError |= errno == Errno.EIO && its == history;
    if (buffer != null) {
      giveBack(op, buffer);
    }
    if (finishing || isFull) {
      isFull = false;
      self.tell(Step.INSTANCE);
    }
  }

  private void observe(DeviceHistory its, DeviceHistory.Op op, BlockDevice.Buffer buffer, ExtentCheck extents, long nowNs) {
    if (op.kind == OpKind.READ) {
      for (int i = 0; i < op.sectors(); i++) {
        its.observed(op, op.firstSector() + i, Sectors.valueAt(buffer.segment(), i, op.firstSector() + i), nowNs);
      }
    } else if (op.kind == OpKind.STATUS) {
      extents.finish();
    }
  }

  /** Occasionally releases the buffer late, to check that a returned buffer is not written. */
  private void giveBack(DeviceHistory.Op op, BlockDevice.Buffer buffer) {
    if (!draw.chance(HELD_BACK)) {
      buffer.release();
      return;
    }
    held++;
    byte[] before = buffer.segment().toArray(ValueLayout.JAVA_BYTE);
    at(fabric().clock().nowNs() + (long) draw.logarithmic(1_000, 2_000_000_000L), new Release(() -> {
      held--;
      if (buffer.segment().mismatch(MemorySegment.ofArray(before)) >= 0) {
        run.violations().add(op + " of " + node.name() + " is over, but its buffer was written to");
      }
      buffer.release();
    }));
  }
}
