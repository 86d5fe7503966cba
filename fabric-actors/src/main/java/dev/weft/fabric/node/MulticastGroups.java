package dev.weft.fabric.node;

import java.util.function.Consumer;

/**
 * Multicast groups by name, as a subnet administrator keeps them: who has joined gets the group's multicast LID, and packets to that
 * LID reach the ports that have joined to receive. In a cluster the subnet manager keeps them, elsewhere the fabric itself. Any thread.
 */
public interface MulticastGroups {
  int NAME_LENGTH_MAX = 64;

  /**
   * What became of a join.
   *
   * @param lid the group's multicast LID, 0 if refused
   * @param refusal why not, or null
   */
  record Answer(int lid, String refusal) {}

  /**
   * Joins a port of this JVM's switch; a group exists while somebody has joined it. Joins are counted.
   *
   * @param group 1 to 64 characters
   * @param receives false for a port that only sends to the group
   * @param done called once, at once or later, on a thread of the fabric; it must neither block nor throw. Switches of other JVMs may
   *     hear of a receiver a little later
   */
  void join(String group, int portNumber, boolean receives, Consumer<Answer> done);

  /** Takes back one join of the same kind. */
  void leave(String group, int portNumber, boolean receives);
}
