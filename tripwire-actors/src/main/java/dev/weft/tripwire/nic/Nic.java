package dev.weft.tripwire.nic;

import akka.actor.typed.ActorRef;
import dev.weft.fabric.HardwareMessage;
import dev.weft.hca.node.Node;
import java.lang.foreign.MemorySegment;

/**
 * The NIC of one host, as its applications see it. Any thread. Calls that change tables run on the hardware thread: at once if called there;
 * otherwise the caller waits at most {@code weft.tripwire.control-timeout}. A call that has not begun by then is cancelled and never runs. All calls
 * throw after the NIC is closed.
 */
public interface Nic extends AutoCloseable {
  /** Called on the hardware thread when data from or to another host is lost. */
  @FunctionalInterface
  interface PeerListener {
    /** No data is taken from, or by, that host until it is mapped again. */
    void onBroken(int peerLid);
  }

  /** Name in the directory: the name of its node, followed by {@code /nic}. */
  String name();

  Node node();

  /** LID of its port; 0 while there is none. */
  int lid();

  /** LID of another host's NIC, 0 if there is none. */
  int lidOf(String nodeName);

  /**
   * Waits until another host's NIC is on the fabric and answers. Data sent to it earlier may be lost silently. Not on the hardware thread.
   *
   * @return its LID
   * @throws NicException PEER_LOST if there is none, TIMED_OUT if it does not answer, within {@code control-timeout}
   */
  int reach(String nodeName);

  /** Whether another host's NIC has answered since it was last lost; otherwise asks it. Does not wait, so a server can use it. Any thread. */
  boolean hasAnswered(int peerLid);

  /** Its actor, for inspection. */
  ActorRef<HardwareMessage> actor();

  NicSettings settings();

  /** Exports memory: other hosts with a descriptor of it may use it. Revoke the aperture before you close the memory. */
  LocalAperture export(MemorySegment segment);

  /**
   * Maps memory of another host, or of this one. The owner's NIC checks writes and reads through the mapping. Waits until that NIC answers, which
   * takes a while if its JVM has just joined. Does not wait on the hardware thread, where the first stores may be lost.
   *
   * @throws NicException PEER_LOST if there is no such NIC, TIMED_OUT if it does not answer within {@code control-timeout}
   */
  RemoteAperture map(Descriptor descriptor);

  /** The same without waiting; the first stores may be lost unless the NIC {@link #hasAnswered}. Any thread. */
  RemoteAperture mapNow(Descriptor descriptor);

  /** Apertures whose writes reach several hosts. */
  MulticastApertures multicast();

  /** A Tripwire that watches nothing yet. */
  Tripwire tripwire();

  /** Opens an endpoint; port 0 takes a free one from 49152. */
  Endpoint endpoint(int port);

  /** A queue of the default size for events of Tripwires, DMA queues and endpoints. */
  EventQueue eventQueue();

  /** A queue for {@code capacity} events, 1 to 1048576. */
  EventQueue eventQueue(int capacity);

  /** Sets the listener for lost data; null removes it. */
  void onBroken(PeerListener listener);

  /** Calls {@code listener} on the hardware thread when a store may find room again; null removes it. */
  void onRoom(Runnable listener);

  NicSnapshot inspect();

  /**
   * Takes the NIC off the fabric. Its apertures are revoked, and its mappings and reads fail with INVALID. Threads that wait for its Tripwires and
   * event queues continue with false. Other hosts' mappings of it fail with PEER_LOST as soon as they learn of it. Idempotent.
   */
  @Override
  void close();
}
