package dev.weft.fabric.link;

import akka.actor.typed.ActorRef;
import dev.weft.fabric.HardwareMessage;
import dev.weft.fabric.time.FabricContext;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;

/**
 * A cable in virtual time, both directions: charges latency and bandwidth, and injects faults drawn from a random stream of
 * its own. Used on the simulation's thread.
 *
 * <p>Credits are conserved whatever happens to packets. Link control (credits, link state) is delayed by the latency, does
 * not wait behind packets and is never lost. For each direction and lane: credits at the transmitter, on their way to it or
 * in reserve + packets on the way + buffers that the receiver has not yet returned = what the receiver granted.
 *
 * <ul>
 *   <li>A packet that is lost, rejected after corruption or cut off never occupies its buffer: it is released here and its
 *       credit is told to the transmitter, when the receiver's answer would have come.
 *   <li>A duplicate occupies a second buffer, for which the transmitter spent nothing. So while duplication is on, the link
 *       keeps up to two credits of each lane back from the transmitter (never more than half of the first grant). A duplicate
 *       is injected only while one is in reserve; the receiver returns it like any other, which fills the reserve again.
 *       A receiver may hold back up to half of its buffers as unreturned credits; the transmitter is still not starved.
 *   <li>A duplicate shares the payload of the original, whose owner is told when both were released: the original may be lost further on,
 *       and then the duplicate is the packet.
 * </ul>
 *
 * A change of the link's state voids all credits. Packets and lost packets' credits of the time before that are still on
 * their way may then add to the new grant; the receiver drops what exceeds its buffers, and that ends the excess.
 */
public final class SimulatedLink {
  private final SimulatedCable fromA;
  private final SimulatedCable fromB;
  private final DuplicateReserve reserveA;
  private final DuplicateReserve reserveB;

  /**
   * A link that is not connected yet.
   *
   * @param virtualLanes the same as both ends use
   * @param faultRandom seeds the fault streams of the two directions; nothing else is drawn from it
   */
  public SimulatedLink(
      FabricContext fabric, LinkProfile profile, LinkFaults faults, int virtualLanes, RandomGenerator faultRandom) {
    this(fabric, profile, profile, faults, virtualLanes, faultRandom);
  }

  /** The same with a profile for each direction, for example because one ends in a switch. */
  public SimulatedLink(FabricContext fabric, LinkProfile profileFromA, LinkProfile profileFromB, LinkFaults faults,
      int virtualLanes, RandomGenerator faultRandom) {
    this.reserveA = new DuplicateReserve(virtualLanes);
    this.reserveB = new DuplicateReserve(virtualLanes);
    this.fromA = new SimulatedCable(fabric, profileFromA, faults, virtualLanes,
        new SplittableRandom(faultRandom.nextLong()), reserveA, reserveB);
    this.fromB = new SimulatedCable(fabric, profileFromB, faults, virtualLanes,
        new SplittableRandom(faultRandom.nextLong()), reserveB, reserveA);
  }

  /** Names the two ends; to be called before either transmits. */
  public void connect(ActorRef<HardwareMessage> a, ActorRef<HardwareMessage> b) {
    fromA.connect(a, b);
    fromB.connect(b, a);
  }

  /** What end A transmits on. */
  public Cable fromA() {
    return fromA;
  }

  /** What end B transmits on. */
  public Cable fromB() {
    return fromB;
  }

  /** Changes the faults of both directions from now on. */
  public void setFaults(LinkFaults faults) {
    fromA.setFaults(faults);
    fromB.setFaults(faults);
  }

  /** Probability, 0 to 1, that a packet to a multicast group is lost, beside the faults of all packets: nobody sends it again. */
  public void setMulticastLoss(double probability) {
    fromA.setMulticastLoss(probability);
    fromB.setMulticastLoss(probability);
  }

  /** Cuts both directions, or mends them. */
  public void setPartitioned(boolean partitioned) {
    setPartitioned(partitioned, partitioned);
  }

  /** Cuts or mends each direction by itself. */
  public void setPartitioned(boolean fromACut, boolean fromBCut) {
    fromA.setCut(fromACut);
    fromB.setCut(fromBCut);
  }

  /** From now on packets of both directions take this much longer than the profile says, in order; 0 ends it. */
  public void setExtraDelay(long ns) {
    fromA.setExtraDelay(ns);
    fromB.setExtraDelay(ns);
  }

  /** Tells {@code observer} of every packet from now on; null ends it. */
  public void observe(LinkObserver observer) {
    fromA.observe(observer, true);
    fromB.observe(observer, false);
  }

  /** Credits of a lane that are kept back from end A, for duplicates of what it transmits. */
  public int reservedFromA(int lane) {
    return reserveA.spare(lane);
  }

  /** Credits of a lane that are kept back from end B, for duplicates of what it transmits. */
  public int reservedFromB(int lane) {
    return reserveB.spare(lane);
  }

  /** What happened to packets that end A transmitted. */
  public LinkCounts countsFromA() {
    return fromA.counts();
  }

  /** What happened to packets that end B transmitted. */
  public LinkCounts countsFromB() {
    return fromB.counts();
  }
}
