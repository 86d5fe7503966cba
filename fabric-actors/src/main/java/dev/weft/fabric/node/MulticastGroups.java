package dev.weft.fabric.node;

import java.util.function.Consumer;

/**
 * Multicast groups by name, as a subnet administrator keeps them. A port that joins gets the group's multicast LID; packets to that LID
 * reach the ports that have joined to receive. In a cluster, the subnet manager keeps the groups, elsewhere the fabric does. Any thread.
 */
public interface MulticastGroups {
  int NAME_LENGTH_MAX = 64;

  /**
   * The result of a join.
   *
   * @param lid the group's multicast LID, 0 if refused
   * @param refusal the reason of a refusal, or null
   */
  record Answer(int lid, String refusal) {}

  /**
   * Joins a port of this JVM's switch to a group. A group exists as long as a port has joined it. Joins are counted: each needs its own leave.
   *
   * @param group 1 to 64 characters
   * @param receives false for a port that only sends to the group
   * @param done called once, immediately or later, on a thread of the fabric; it must neither block nor throw. Switches of other JVMs may
   *     learn of a new receiver a little later
   */
  void join(String group, int portNumber, boolean receives, Consumer<Answer> done);

  /** Undoes one join with the same {@code receives}. */
  void leave(String group, int portNumber, boolean receives);
}
