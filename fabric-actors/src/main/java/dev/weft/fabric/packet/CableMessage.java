package dev.weft.fabric.packet;

import dev.weft.fabric.HardwareMessage;

/** What travels on a cable: packets, and the two kinds of link control below. */
public interface CableMessage extends HardwareMessage {

  /**
   * The receiving side has freed buffers.
   *
   * @param virtualLane lane the buffers belong to
   * @param count packets that may now be sent in addition
   */
  record Credits(int virtualLane, int count) implements CableMessage {}

  /**
   * The cable was plugged, unplugged, or the port was given its LID. Also the first message that an attached HCA gets.
   *
   * @param up whether packets pass
   * @param lid the local identifier of the attached end port, 0 while the subnet manager has not assigned one
   */
  record LinkState(boolean up, int lid) implements CableMessage {}

  /**
   * The transmitting end wants to be told to stop before its credits are used up (seed 003 section 2.2). Sent once after the link came
   * up, to a switch port only.
   *
   * @param xoffAtPackets occupied buffers of a lane at which to say stop
   * @param xonAtPackets occupied buffers at which to say go on, fewer
   */
  record WantsXoff(int xoffAtPackets, int xonAtPackets) implements CableMessage {}

  /**
   * The receiving end has little room left, or has room again. Credits stay as they are, and may not be spent meanwhile.
   *
   * @param stop true for Xoff, false for Xon
   */
  record Xoff(int virtualLane, boolean stop) implements CableMessage {}
}
