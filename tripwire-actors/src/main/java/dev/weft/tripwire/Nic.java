package dev.weft.tripwire;

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

/**
 * The NIC of one host, as its applications see it. Any thread. Calls that change tables run on the hardware thread: at once if called there;
 * otherwise the caller waits at most {@code weft.tripwire.control-timeout}. A call that has not begun by then is cancelled and never runs. All calls
 * throw after the NIC is closed.
 */
public final class Nic extends Driver implements AutoCloseable {
  /** Delay before a store or request looks for room again. */
  private static final long STALL_NS = 20_000;
  private static final String SUFFIX = "/nic";

  private final String name;
  private final DeviceHost host;
  private final Node node;
  private final NicSettings settings;
  private final ReceiveContexts contexts;
  private final NicCore core;
  private final MulticastApertures multicast = new MulticastApertures(this);
  private final Tripwire[] tripwires;
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
  private final List<EventQueue> queues = new CopyOnWriteArrayList<>();

  /** Called on the hardware thread when data from or to another host is lost. */
  @FunctionalInterface
  public interface PeerListener {
    /** No data is taken from, or by, that host until it is mapped again. */
    void onBroken(int peerLid);
  }

  private Nic(DeviceHost host, Node node) {
    this.host = host;
    this.node = node;
    name = node.name() + SUFFIX;
    settings = NicSettings.from(host.config());
    contexts = node.hca().contexts();
    tripwires = new Tripwire[settings.tripwiresMax()];
    core = new NicCore(this, settings, node.context(), SwitchSettings.from(host.config()).virtualLanes());
    stores = new StoreRing(this, core);
  }

  /** Puts a NIC into a host, cables it to the switch and waits for its LID; in virtual time the LID arrives a little later. */
  public static Nic start(DeviceHost host, Node node) {
    Nic nic = new Nic(host, node);
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

  /** Name in the directory: the name of its node, followed by {@code /nic}. */
  @Override
  public String name() {
    return name;
  }

  public Node node() {
    return node;
  }

  /** LID of its port; 0 while there is none. */
  @Override
  public int lid() {
    return lid;
  }

  /** LID of another host's NIC, 0 if there is none. */
  public int lidOf(String nodeName) {
    return host.directory().lookup(nodeName + SUFFIX).map(NodeEntry::lid).orElse(0);
  }

  /**
   * Waits until another host's NIC is on the fabric and answers. Data sent to it earlier may be lost silently. Not on the hardware thread.
   *
   * @return its LID
   * @throws NicException PEER_LOST if there is none, TIMED_OUT if it does not answer, within {@code control-timeout}
   */
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

  /** Whether another host's NIC has answered since it was last lost; otherwise asks it. Does not wait, so a server can use it. Any thread. */
  public boolean hasAnswered(int peerLid) {
    return control(() -> core.hello.ask(peerLid)).answered;
  }

  /** Its actor, for inspection. */
  public ActorRef<HardwareMessage> actor() {
    return actor;
  }

  public NicSettings settings() {
    return settings;
  }

  @Override
  DeviceHost host() {
    return host;
  }

  @Override
  NicCore core() {
    return core;
  }

  @Override
  StoreRing stores() {
    return stores;
  }

  /** Port of the switch; 0 while there is none. */
  int port() {
    return port;
  }

  @Override
  long nowNs() {
    return node.context().clock().nowNs();
  }

  // Objects for applications.

  /** Exports memory: other hosts with a descriptor of it may use it. Revoke the aperture before you close the memory. */
  public LocalAperture export(MemorySegment segment) {
    return control(() -> core.tables.export(segment));
  }

  /**
   * Maps memory of another host, or of this one. The owner's NIC checks writes and reads through the mapping. Waits until that NIC answers, which
   * takes a while if its JVM has just joined. Does not wait on the hardware thread, where the first stores may be lost.
   *
   * @throws NicException PEER_LOST if there is no such NIC, TIMED_OUT if it does not answer within {@code control-timeout}
   */
  public RemoteAperture map(Descriptor descriptor) {
    if (!host.isHardwareThread() && !Packet.isMulticast(descriptor.lid())) { // The members of a group may change.
      reach(descriptor.lid());
    }
    return mapNow(descriptor);
  }

  /** The same without waiting; the first stores may be lost unless the NIC {@link #hasAnswered}. Any thread. */
  public RemoteAperture mapNow(Descriptor descriptor) {
    return control(() -> core.tables.map(descriptor));
  }

  /** Apertures whose writes reach several hosts. */
  public MulticastApertures multicast() {
    return multicast;
  }

  /** A Tripwire that watches nothing yet. */
  public Tripwire tripwire() {
    return control(() -> {
      core.stream.drain();
      int id = core.cam.allocate();
      if (id < 0) {
        throw new NicException(Status.EXHAUSTED,
            "the NIC has " + settings.tripwiresMax() + " Tripwires already; raise weft.tripwire.tripwires-max");
      }
      tripwires[id] = new Tripwire(this, id);
      return tripwires[id];
    });
  }

  /** Opens an endpoint; port 0 takes a free one from 49152. */
  public Endpoint endpoint(int port) {
    return control(() -> core.tables.openEndpoint(port));
  }

  /** A queue of the default size for events of Tripwires, DMA queues and endpoints. */
  public EventQueue eventQueue() {
    return eventQueue(settings.eventsMax());
  }

  /** A queue for {@code capacity} events, 1 to 1048576. */
  public EventQueue eventQueue(int capacity) {
    if (capacity < 1 || capacity > 1 << 20) {
      throw new NicException(Status.INVALID, "an event queue holds 1 to " + (1 << 20) + " events, not " + capacity);
    }
    EventQueue queue = new EventQueue(this, queueNumbers.incrementAndGet(), capacity);
    queues.add(queue);
    return queue;
  }

  /** Sets the listener for lost data; null removes it. */
  public void onBroken(PeerListener listener) {
    peerListener = listener;
  }

  /** Calls {@code listener} on the hardware thread when a store may find room again; null removes it. */
  public void onRoom(Runnable listener) {
    stores.onRoom(listener);
  }

  public NicSnapshot inspect() {
    return control(this::snapshot);
  }

  NicSnapshot snapshot() {
    return core.snapshot(name, queues.stream().map(EventQueue::snapshot).toList());
  }

  @Override
  void forget(EventQueue queue) {
    queues.remove(queue);
  }

  @Override
  void watchRegions(Tripwire tripwire, MemoryRegion region) {
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
  void ringDoorbell() {
    actor.tell(NicActor.STORE_DOORBELL);
  }

  @Override
  void callDriver(DmaQueue queue) {
    actor.tell(new NicActor.DriverCall(queue));
  }

  @Override
  void flushEvents(EventQueue queue) {
    actor.tell(new NicActor.FlushEvents(queue));
  }

  @Override
  void post(BooleanSupplier request) {
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
  void await(BooleanSupplier attempt, Duration patience, String otherwise) {
    long startNs = nowNs();
    while (!attempt.getAsBoolean()) {
      if (nowNs() - startNs > patience.toNanos()) {
        throw new NicException(Status.UNRESPONSIVE, "the NIC " + name + " " + otherwise + " within " + patience);
      }
      host.help(() -> false, STALL_NS);
    }
  }

  @Override
  void run(ReceiveContext context, Runnable work) {
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
    queues.forEach(EventQueue::wake);
    nodeLost.cancel();
  }

  @Override
  boolean isClosed() {
    return closed;
  }

  /** Ends all objects of the NIC, and wakes waiting threads. Hardware thread. */
  private void end() {
    core.close();
    for (Tripwire tripwire : tripwires) {
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
    Tripwire tripwire = tripwires[id];
    if (tripwire != null) {
      tripwire.fired(firings);
    }
  }

  void forget(Tripwire tripwire) {
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

  /**
   * Takes the NIC off the fabric. Its apertures are revoked, and its mappings and reads fail with INVALID. Threads that wait for its Tripwires and
   * event queues continue with false. Other hosts' mappings of it fail with PEER_LOST as soon as they learn of it. Idempotent.
   */
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
  void giveBack(Runnable call) {
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
  <T> T control(Supplier<T> call) {
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
