package dev.weft.fabric.link;

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
}
