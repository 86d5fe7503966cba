package dev.weft.tripwire.device;

import akka.actor.typed.ActorRef;
import dev.weft.fabric.HardwareMessage;
import dev.weft.fabric.dispatch.HardwareCall;
import dev.weft.fabric.node.Directory;
import dev.weft.fabric.node.NodeEntry;
import dev.weft.fabric.packet.Packet;
import dev.weft.fabric.switching.SwitchSettings;
import dev.weft.hca.node.DeviceHost;
import dev.weft.hca.node.Node;
import dev.weft.hca.verbs.MemoryRegion;
import dev.weft.hca.verbs.ReceiveContext;
import dev.weft.hca.verbs.ReceiveContexts;
import dev.weft.tripwire.driver.CamTripwire;
import dev.weft.tripwire.driver.DmaRing;
import dev.weft.tripwire.driver.Driver;
import dev.weft.tripwire.driver.EventRing;
import dev.weft.tripwire.driver.ExportedAperture;
import dev.weft.tripwire.driver.MappedAperture;
import dev.weft.tripwire.driver.PortEndpoint;
import dev.weft.tripwire.driver.StoreRing;
import dev.weft.tripwire.nic.Descriptor;
import dev.weft.tripwire.nic.Nic;
import dev.weft.tripwire.nic.NicException;
import dev.weft.tripwire.nic.NicSettings;
import dev.weft.tripwire.nic.NicSnapshot;
import dev.weft.tripwire.nic.Status;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** The NIC of a host: its objects for applications, and its driver. */
public final class NicDevice extends Driver implements Nic {
  /** Delay before a store or request looks for room again. */
  private static final long STALL_NS = 20_000;
  private static final String SUFFIX = "/nic";

  private final String name;
  private final DeviceHost host;
  private final Node node;
  private final NicSettings settings;
  private final ReceiveContexts contexts;
  private final NicCore core;
  private final SwitchedApertures multicast = new SwitchedApertures(this);
  private final CamTripwire[] tripwires;
  private final StoreRing stores;
  /** Calls of other threads, one for each waiting thread. */
  private final Set<HardwareCall<?>> calls = ConcurrentHashMap.newKeySet();
  private volatile ActorRef<HardwareMessage> actor;
  private volatile int lid;
  /** Port of the switch; 0 while there is none. */
  private volatile int port;
  private volatile boolean closed;
  private volatile boolean stopped;
  private Directory.Subscription nodeLost;
  private volatile PeerListener peerListener;
  private final AtomicInteger queueNumbers = new AtomicInteger();
  /** Event queues that are not closed, for inspection. */
  private final List<EventRing> queues = new CopyOnWriteArrayList<>();

  private NicDevice(DeviceHost host, Node node) {
    this.host = host;
    this.node = node;
    name = node.name() + SUFFIX;
    settings = NicSettings.from(host.config());
    contexts = node.hca().contexts();
    tripwires = new CamTripwire[settings.tripwiresMax()];
    core = new NicCore(this, settings, node.context(), SwitchSettings.from(host.config()).virtualLanes());
    stores = new StoreRing(this, core);
  }

  /** Puts a NIC into a host, cables it to the switch and waits for its LID; in virtual time the LID arrives a little later. */
  public static Nic start(DeviceHost host, Node node) {
    NicDevice nic = new NicDevice(host, node);
    nic.actor = node.spawnRole(NicActor.create(nic), "nic");
    host.attachDevice(nic.name, nic.actor, cable -> nic.actor.tell(new NicActor.CableLaid(cable)));
    node.hca().offerWriteWatches(new WriteTripwires(nic::tripwire));
    nic.nodeLost = host.directory().onNodeLost(lost -> nic.actor.tell(NicActor.NODE_LOST));
    if (!host.isHardwareThread() && !host.help(() -> nic.lid != 0, nic.settings.controlTimeout().toNanos())) {
      throw new NicException(Status.UNRESPONSIVE, "the NIC " + nic.name + " got no LID within " + nic.settings.controlTimeout());
    }
    return nic;
  }

  // Identity.

  @Override
  public String name() {
    return name;
  }

  @Override
  public Node node() {
    return node;
  }

  @Override
  public int lid() {
    return lid;
  }

  @Override
  public int lidOf(String nodeName) {
    return host.directory().lookup(nodeName + SUFFIX).map(NodeEntry::lid).orElse(0);
  }

  @Override
  public int reach(String nodeName) {
    if (!host.help(() -> lidOf(nodeName) != 0, settings.controlTimeout().toNanos())) {
      throw new NicException(Status.PEER_LOST, "node " + nodeName + " has no NIC, or none that " + name + " has heard of within "
          + settings.controlTimeout());
    }
    int peer = lidOf(nodeName);
    reach(peer);
    return peer;
  }

  private void reach(int peer) {
    long startNs = nowNs();
    while (true) {
      Flows.Outgoing flow = control(() -> core.hello.ask(peer));
      if (host.help(() -> flow.answered, Flows.REPEAT_NS)) {
        return;
      }
      if (nowNs() - startNs > settings.controlTimeout().toNanos()) {
        boolean known = host.directory().nodes().stream().anyMatch(entry -> entry.lid() == peer);
        throw new NicException(known ? Status.TIMED_OUT : Status.PEER_LOST, "the NIC with LID " + peer
            + (known ? " did not answer " + name + " within " + settings.controlTimeout() : " is not on the fabric"));
      }
    }
  }

  @Override
  public boolean hasAnswered(int peerLid) {
    return control(() -> core.hello.ask(peerLid)).answered;
  }

  @Override
  public ActorRef<HardwareMessage> actor() {
    return actor;
  }

  @Override
  public NicSettings settings() {
    return settings;
  }

  @Override
  public DeviceHost host() {
    return host;
  }

  @Override
  public NicCore core() {
    return core;
  }

  @Override
  public StoreRing stores() {
    return stores;
  }

  /** Port of the switch; 0 while there is none. */
  int port() {
    return port;
  }

  @Override
  public long nowNs() {
    return node.context().clock().nowNs();
  }

  // Objects for applications.

  @Override
  public ExportedAperture export(MemorySegment segment) {
    return control(() -> core.tables.export(segment));
  }

  @Override
  public MappedAperture map(Descriptor descriptor) {
    if (!host.isHardwareThread() && !Packet.isMulticast(descriptor.lid())) { // The members of a group may change.
      reach(descriptor.lid());
    }
    return mapNow(descriptor);
  }

  @Override
  public MappedAperture mapNow(Descriptor descriptor) {
    return control(() -> core.tables.map(descriptor));
  }

  @Override
  public SwitchedApertures multicast() {
    return multicast;
  }

  @Override
  public CamTripwire tripwire() {
    return control(() -> {
      core.stream.drain();
      int id = core.cam.allocate();
      if (id < 0) {
        throw new NicException(Status.EXHAUSTED,
            "the NIC has " + settings.tripwiresMax() + " Tripwires already; raise weft.tripwire.tripwires-max");
      }
      tripwires[id] = new CamTripwire(this, id);
      return tripwires[id];
    });
  }

  @Override
  public PortEndpoint endpoint(int port) {
    return control(() -> core.tables.openEndpoint(port));
  }

  @Override
  public EventRing eventQueue() {
    return eventQueue(settings.eventsMax());
  }

  @Override
  public EventRing eventQueue(int capacity) {
    if (capacity < 1 || capacity > 1 << 20) {
      throw new NicException(Status.INVALID, "an event queue holds 1 to " + (1 << 20) + " events, not " + capacity);
    }
    EventRing queue = new EventRing(this, queueNumbers.incrementAndGet(), capacity);
    queues.add(queue);
    return queue;
  }

  @Override
  public void onBroken(PeerListener listener) {
    peerListener = listener;
  }

  @Override
  public void onRoom(Runnable listener) {
    stores.onRoom(listener);
  }

  @Override
  public NicSnapshot inspect() {
    return control(this::snapshot);
  }

  NicSnapshot snapshot() {
    return core.snapshot(name, queues.stream().map(EventRing::snapshot).toList());
  }

  @Override
  public void forget(EventRing queue) {
    queues.remove(queue);
  }

  @Override
  public void watchRegions(CamTripwire tripwire, MemoryRegion region) {
    if (region.pd().hca() != node.hca()) {
      throw new NicException(Status.INVALID, region + " is registered with the HCA of " + region.pd().hca().nodeName()
          + "; a Tripwire of " + name + " watches memory of its own host");
    }
    if (!tripwire.watchesRegions) {
      control(() -> {
        tripwire.watchesRegions = true;
        core.regions.use();
        return null;
      });
    }
  }

  // Calls to the driver.

  @Override
  public void ringDoorbell() {
    actor.tell(NicActor.STORE_DOORBELL);
  }

  @Override
  public void callDriver(DmaRing queue) {
    actor.tell(new NicActor.DriverCall(queue));
  }

  @Override
  public void flushEvents(EventRing queue) {
    actor.tell(new NicActor.FlushEvents(queue));
  }

  @Override
  public void post(BooleanSupplier request) {
    if (request.getAsBoolean()) {
      return;
    }
    if (host.isHardwareThread()) {
      core.stream.drain();
      if (request.getAsBoolean()) {
        return;
      }
    }
    await(() -> {
      control(this::drainRequests);
      return request.getAsBoolean();
    }, settings.controlTimeout(), "took no request");
  }

  private Void drainRequests() {
    core.stream.drain();
    return null;
  }

  @Override
  public void await(BooleanSupplier attempt, Duration patience, String otherwise) {
    long startNs = nowNs();
    while (!attempt.getAsBoolean()) {
      if (nowNs() - startNs > patience.toNanos()) {
        throw new NicException(Status.UNRESPONSIVE, "the NIC " + name + " " + otherwise + " within " + patience);
      }
      host.help(() -> false, STALL_NS);
    }
  }

  @Override
  public void run(ReceiveContext context, Runnable work) {
    if (context == ReceiveContext.PROCESS) {
      contexts.defer(work);
    } else {
      contexts.run(context, work);
    }
  }

  // Events of the hardware.

  void portAttached(int portNumber) {
    port = portNumber;
    host.attached(name, portNumber, actor);
  }

  /** Its actor has ended, perhaps without {@link #close}, with its fabric or after an error: ends all waits. */
  void actorStopped() {
    if (!closed) {
      end();
      ended();
    }
    core.abandon();
    stopped = true;
    calls.forEach(call -> call.refuse(gone())); // Calls that are still in its mailbox are never handled.
  }

  private void ended() {
    closed = true;
    queues.forEach(EventRing::wake);
    nodeLost.cancel();
  }

  @Override
  public boolean isClosed() {
    return closed;
  }

  /** Ends all objects of the NIC, and wakes waiting threads. Hardware thread. */
  private void end() {
    core.close();
    for (CamTripwire tripwire : tripwires) {
      if (tripwire != null) {
        core.free(tripwire);
        tripwire.wakeAll();
      }
    }
  }

  void lidAssigned(int assigned) {
    lid = assigned;
  }

  void fired(int id, long firings) {
    CamTripwire tripwire = tripwires[id];
    if (tripwire != null) {
      tripwire.fired(firings);
    }
  }

  void forget(CamTripwire tripwire) {
    tripwires[tripwire.id()] = null;
  }

  void peerBroken(int peerLid) {
    PeerListener told = peerListener;
    if (told != null) {
      tell(() -> told.onBroken(peerLid), "listener for broken peers", name);
    }
  }

  void nodeLost() {
    for (int peer : core.peers()) {
      if (host.directory().nodes().stream().noneMatch(entry -> entry.lid() == peer)) {
        core.peerLost(peer);
      }
    }
  }

  @Override
  public void close() {
    if (closed) {
      return;
    }
    control(() -> {
      end();
      return null;
    });
    ended();
    host.detachDevice(name, port);
    if (!host.isHardwareThread()) {
      host.help(() -> stopped, settings.controlTimeout().toNanos()); // Its node may then get another NIC.
    }
  }

  @Override
  public void giveBack(Runnable call) {
    if (!closed) {
      control(() -> {
        call.run();
        return null;
      });
    }
  }

  private NicException gone() {
    return new NicException(Status.INVALID, "the NIC " + name + " is closed");
  }

  @Override
  public <T> T control(Supplier<T> call) {
    if (closed) {
      throw gone();
    }
    if (host.isHardwareThread()) {
      return call.get();
    }
    HardwareCall<T> asked = new HardwareCall<>(call);
    calls.add(asked);
    try {
      actor.tell(new NicActor.Control(asked));
      if (stopped) {
        asked.refuse(gone());
      }
      return asked.await(settings.controlTimeout());
    } catch (ExecutionException e) {
      if (e.getCause() instanceof NicException refused) {
        throw refused;
      }
      throw new IllegalStateException("the NIC " + name + " could not do it: " + e.getCause(), e.getCause());
    } catch (TimeoutException e) {
      throw new NicException(Status.UNRESPONSIVE, "the NIC " + name + " did not answer within " + settings.controlTimeout()
          + "; nothing was changed, and will not be later");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new NicException(Status.UNRESPONSIVE, "interrupted while waiting for the NIC " + name + "; nothing was changed");
    } finally {
      calls.remove(asked);
    }
  }
}
