package dev.weft.fabric.packet;

import dev.weft.fabric.HardwareMessage;

/** A message that travels on a cable: a packet, or one of the link control messages below. */
public sealed interface CableMessage extends HardwareMessage permits CableMessage.LinkControl, Packet {

  /** A message with which the two ends of a cable control the link. */
  sealed interface LinkControl extends CableMessage {}

  /**
   * The receiving side has freed buffers.
   *
   * @param virtualLane lane the buffers belong to
   * @param count packets that may now be sent in addition
   */
  record Credits(int virtualLane, int count) implements LinkControl {}

  /**
   * The cable was plugged or unplugged, or the port got its LID. It is also the first message that an attached HCA receives.
   *
   * @param up whether packets pass
   * @param lid the local identifier of the attached end port, 0 while the subnet manager has not assigned one
   */
  record LinkState(boolean up, int lid) implements LinkControl {}

  /**
   * The transmitting end asks for Xoff before its credits are used up (CLAN paper, section 2.2). It sends this once after the link
   * came up, and only to a switch port.
   *
   * @param xoffAtPackets occupied buffers of a lane at which the receiver sends Xoff
   * @param xonAtPackets occupied buffers at which the receiver sends Xon; fewer than {@code xoffAtPackets}
   */
  record WantsXoff(int xoffAtPackets, int xonAtPackets) implements LinkControl {}

  /**
   * The receiving end has little room left, or has room again. Credits stay as they are, but the sender must not spend them until Xon.
   *
   * @param stop true for Xoff, false for Xon
   */
  record Xoff(int virtualLane, boolean stop) implements LinkControl {}
}
