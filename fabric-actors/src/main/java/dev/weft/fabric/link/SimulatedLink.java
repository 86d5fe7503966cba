package dev.weft.fabric.link;

import akka.actor.typed.ActorRef;
import dev.weft.fabric.HardwareMessage;
import dev.weft.fabric.time.FabricContext;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;

/**
 * A cable in virtual time, with both directions. It charges latency and bandwidth, and injects faults drawn from a random stream
 * of its own. Used on the simulation's thread.
 *
 * <p>Credits are conserved whatever happens to packets. Link control (credits, link state) is delayed by the latency, does
 * not wait behind packets and is never lost. For each direction and lane: credits at the transmitter, on their way to it or
 * in reserve + packets on the way + buffers that the receiver has not yet returned = credits that the receiver granted.
 *
 * <ul>
 *   <li>A packet that is lost, rejected after corruption or cut off never occupies its buffer. The link releases it and returns
 *       its credit to the transmitter at the time when the receiver's credit would have come.
 *   <li>A duplicate occupies a second buffer, for which the transmitter has not spent a credit. So while duplication is on, the
 *       link keeps up to two credits of each lane back from the transmitter (never more than half of the first grant). It injects
 *       a duplicate only if it has a credit in reserve. The receiver returns this credit like any other, which fills the reserve
 *       again. Even if a receiver holds back up to half of its buffers as unreturned credits, the transmitter does not starve.
 *   <li>A duplicate shares the payload of the original. The payload's owner is told when both were released, because the original
 *       may be lost later, so that only the duplicate arrives.
 * </ul>
 *
 * A change of the link's state voids all credits. Earlier packets, and credits of earlier lost packets, may still be on their way
 * and then add to the new grant. The receiver drops packets that exceed its buffers, and that ends the excess.
 */
public final class SimulatedLink {
  private final SimulatedCable fromA;
  private final SimulatedCable fromB;
  private final DuplicateReserve reserveA;
  private final DuplicateReserve reserveB;

  /**
   * Makes a link that is not connected yet.
   *
   * @param virtualLanes number of lanes, the same as at both ends
   * @param faultRandom seeds the fault streams of the two directions; nothing else is drawn from it
   */
  public SimulatedLink(
      FabricContext fabric, LinkProfile profile, LinkFaults faults, int virtualLanes, RandomGenerator faultRandom) {
    this(fabric, profile, profile, faults, virtualLanes, faultRandom);
  }

  /** Does the same with a profile for each direction, for example because one direction ends in a switch. */
  public SimulatedLink(FabricContext fabric, LinkProfile profileFromA, LinkProfile profileFromB, LinkFaults faults,
      int virtualLanes, RandomGenerator faultRandom) {
    this.reserveA = new DuplicateReserve(virtualLanes);
    this.reserveB = new DuplicateReserve(virtualLanes);
    this.fromA = new SimulatedCable(fabric, profileFromA, faults, virtualLanes,
        new SplittableRandom(faultRandom.nextLong()), reserveA, reserveB);
    this.fromB = new SimulatedCable(fabric, profileFromB, faults, virtualLanes,
        new SplittableRandom(faultRandom.nextLong()), reserveB, reserveA);
  }

  /** Sets the two ends. Call this before either transmits. */
  public void connect(ActorRef<HardwareMessage> a, ActorRef<HardwareMessage> b) {
    fromA.connect(a, b);
    fromB.connect(b, a);
  }

  /** Returns the cable on which end A transmits. */
  public Cable fromA() {
    return fromA;
  }

  /** Returns the cable on which end B transmits. */
  public Cable fromB() {
    return fromB;
  }

  /** Changes the faults of both directions from now on. */
  public void setFaults(LinkFaults faults) {
    fromA.setFaults(faults);
    fromB.setFaults(faults);
  }

  /** Sets the probability, 0 to 1, that a multicast packet is lost, in addition to the faults of all packets. Nothing retransmits multicast packets. */
  public void setMulticastLoss(double probability) {
    fromA.setMulticastLoss(probability);
    fromB.setMulticastLoss(probability);
  }

  /** Cuts or restores both directions. */
  public void setPartitioned(boolean partitioned) {
    setPartitioned(partitioned, partitioned);
  }

  /** Cuts or restores each direction separately. */
  public void setPartitioned(boolean fromACut, boolean fromBCut) {
    fromA.setCut(fromACut);
    fromB.setCut(fromBCut);
  }

  /** Delays all packets of both directions from now on by {@code ns}, in addition to the profile; they keep their order. 0 ends this. */
  public void setExtraDelay(long ns) {
    fromA.setExtraDelay(ns);
    fromB.setExtraDelay(ns);
  }

  /** Tells {@code observer} of every packet from now on; null ends it. */
  public void observe(LinkObserver observer) {
    fromA.observe(observer, true);
    fromB.observe(observer, false);
  }

  /** Returns the credits of a lane that are kept back from end A, for duplicates of its packets. */
  public int reservedFromA(int lane) {
    return reserveA.spare(lane);
  }

  /** Returns the credits of a lane that are kept back from end B, for duplicates of its packets. */
  public int reservedFromB(int lane) {
    return reserveB.spare(lane);
  }

  /** Returns the counts of packets that end A transmitted. */
  public LinkCounts countsFromA() {
    return fromA.counts();
  }

  /** Returns the counts of packets that end B transmitted. */
  public LinkCounts countsFromB() {
    return fromB.counts();
  }
}
