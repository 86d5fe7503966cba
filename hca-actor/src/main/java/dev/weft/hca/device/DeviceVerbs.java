package dev.weft.hca.device;

import akka.actor.typed.ActorRef;
import dev.weft.fabric.Check;
import dev.weft.fabric.HardwareMessage;
import dev.weft.fabric.time.FabricContext;
import dev.weft.fabric.time.RealClock;
import dev.weft.hca.control.HardwareCalls;
import dev.weft.hca.netvm.HostVm;
import dev.weft.hca.netvm.NicPages;
import dev.weft.hca.netvm.NicPagesSnapshot;
import dev.weft.hca.netvm.PageTableSnapshot;
import dev.weft.hca.verbs.AccessObserver;
import dev.weft.hca.verbs.AsyncEvent;
import dev.weft.hca.verbs.Hca;
import dev.weft.hca.verbs.HcaDevice;
import dev.weft.hca.verbs.HcaSettings;
import dev.weft.hca.verbs.HcaSnapshot;
import dev.weft.hca.verbs.ReceiveContexts;
import dev.weft.hca.verbs.VerbsException;
import dev.weft.hca.verbs.WriteWatches;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;
import java.util.function.IntUnaryOperator;
import java.util.function.Supplier;

/** The verbs of an HCA on the device itself: its life, its actor, its port, its memory of the host, its events and its inspection. Any thread. */
abstract class DeviceVerbs implements Hca {
  final HcaSettings settings;
  final PacketEngine core;
  final HardwareCalls calls;
  private final String nodeName;
  private final AsyncEventQueue events;
  private final DeviceShutdown ends;
  private final DeviceQueries device;
  private volatile ActorRef<HardwareMessage> actor;
  private volatile ReceiveContexts contexts;
  private volatile WriteWatches writeWatches;
  private volatile int lid;
  private volatile long portSpeedBitsPerSecond;
  /** Used on the hardware thread. */
  private final List<Supplier<?>> shared = new ArrayList<>();

  DeviceVerbs(String nodeName, HcaSettings settings, FabricContext context, int virtualLanes, BooleanSupplier onHardwareThread) {
    this.nodeName = nodeName;
    this.settings = settings;
    calls = new HardwareCalls(nodeName, settings, onHardwareThread, this::actor);
    events = new AsyncEventQueue(settings.asyncEventsMax());
    core = new PacketEngine(this, settings, calls, context, virtualLanes, events);
    ends = new DeviceShutdown(this, core, calls);
    device = new DeviceQueries(this, settings);
    if (context.clock() != RealClock.INSTANCE) {
      calls.useDoorbell(message -> ring(context, message));
    }
  }

  /** Sends a doorbell; if processors cost virtual time, only after the computation of the caller. */
  private void ring(FabricContext context, HardwareMessage message) {
    long precedingNs = contexts == null ? 0 : contexts.precedingNs(); // Null for a device without a node.
    if (precedingNs == 0) {
      calls.tell(message);
    } else {
      context.timers().at(context.clock().nowNs() + precedingNs, actor, message);
    }
  }

  @Override
  public void close(String reason, Runnable before) {
    ends.close(reason, before);
  }

  @Override
  public boolean isClosed() {
    return calls.isClosed();
  }

  DeviceShutdown ends() {
    return ends;
  }

  /** Reports that the actor runs; the code that spawned it calls this. */
  public void started(ActorRef<HardwareMessage> ref) {
    actor = ref;
  }

  void useContexts(ReceiveContexts hostContexts) {
    contexts = hostContexts;
  }

  @Override
  public ReceiveContexts contexts() {
    return contexts;
  }

  @Override
  public String nodeName() {
    return nodeName;
  }

  @Override
  public HcaSettings settings() {
    return settings;
  }

  @Override
  public HcaDevice device() {
    return device;
  }

  @Override
  public ActorRef<HardwareMessage> actor() {
    return actor;
  }

  @Override
  public int lid() {
    return lid;
  }

  @Override
  public int portMtuBytes() {
    return core.portMtuBytes();
  }

  @Override
  public long messageMaxBytes() {
    return settings.messageMaxBytes();
  }

  /** Sets the MTU of the link if it is less than {@code weft.hca.path-mtu-max}. The code that connects the HCA calls this before it starts. */
  public void limitPortMtu(int bytes) {
    core.setPortMtuBytes(Math.min(bytes, settings.pathMtuMaxBytes()));
  }

  /**
   * Sets the MTU of the paths to other ports if it is less than that of this port. The code that connects the HCA calls this before it starts.
   *
   * @param byLid largest payload in bytes on the path to a LID, also of a multicast group; any thread may call it
   */
  public void limitPathMtu(IntUnaryOperator byLid) {
    core.setPathMtu(byLid);
  }

  /** Sets the speed of the link, if it has one. The code that connects the HCA calls this. */
  public void setPortSpeed(long bitsPerSecond) {
    portSpeedBitsPerSecond = bitsPerSecond;
  }

  /** The speed of the link in bits per second; 0 if the link has no defined speed. */
  long portSpeedBitsPerSecond() {
    return portSpeedBitsPerSecond;
  }

  @Override
  public int datagramMaxBytes(int destLid) {
    return core.datagramMaxBytes(destLid);
  }

  @Override
  public void attachVm(HostVm vm) {
    Check.given("vm", vm);
    run(() -> core.attach(vm));
  }

  @Override
  public NicPagesSnapshot inspectVm() {
    return control(() -> core.unpinned().pages() == null ? null : core.unpinned().pages().snapshot());
  }

  @Override
  public boolean isHardwareThread() {
    return calls.onHardwareThread();
  }

  @Override
  public void offerWriteWatches(WriteWatches offered) {
    writeWatches = offered;
  }

  @Override
  public WriteWatches writeWatches() {
    return writeWatches;
  }

  @Override
  public <T> T onHardware(Supplier<T> action) {
    Check.given("action", action);
    return control(action);
  }

  @Override
  public CompletionStage<NicPagesSnapshot> inspectVmLater() {
    return calls.later(() -> core.unpinned().pages() == null ? null : core.unpinned().pages().snapshot());
  }

  @Override
  public PageTableSnapshot inspectPages(int offset, int limit) {
    NicPages pages = core.unpinned().pages();
    return pages == null ? new PageTableSnapshot(0, 0, List.of()) : pages.vm().pages(offset, limit);
  }

  @Override
  public Runnable publish(Supplier<?> view) {
    Check.given("view", view);
    control(() -> shared.add(view));
    return () -> control(() -> shared.remove(view));
  }

  @Override
  public CompletionStage<List<Object>> inspectShared() {
    return calls.later(() -> {
      List<Object> views = new ArrayList<>();
      shared.forEach(view -> views.add(view.get()));
      return views;
    });
  }

  @Override
  public <T> CompletionStage<T> later(Supplier<T> action) {
    Check.given("action", action);
    return calls.later(action);
  }

  void lidAssigned(int assigned) {
    lid = assigned;
  }

  @Override
  public void observeAccesses(AccessObserver observer) {
    if (observer == null) {
      giveBack(() -> core.access().setObserver(null)); // Removing the observer must also work when the HCA has ended.
    } else {
      run(() -> core.access().setObserver(observer));
    }
  }

  @Override
  public AsyncEvent pollAsyncEvent() {
    return events.poll();
  }

  @Override
  public boolean armAsyncEvents(Runnable handler) {
    return events.arm(handler);
  }

  @Override
  public long asyncEventsLost() {
    return events.lost();
  }

  @Override
  public HcaSnapshot inspect() {
    return giveBack(() -> core.snapshot(nodeName));
  }

  final <T> T giveBack(Supplier<T> verb) {
    return calls.giveBack(verb);
  }

  final void giveBack(Runnable verb) {
    calls.giveBack(() -> {
      verb.run();
      return null;
    });
  }

  final <T> T control(Supplier<T> verb) {
    return calls.control(verb);
  }

  final void run(Runnable verb) {
    calls.control(() -> {
      verb.run();
      return null;
    });
  }
}
