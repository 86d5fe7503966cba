package dev.weft.hca.node;

import dev.weft.fabric.node.MulticastGroups;
import java.util.function.Consumer;

/** Rejects every multicast group: a simulated tree of switches does not support them. */
final class NoGroups implements MulticastGroups {
  @Override
  public void join(String name, int portNumber, boolean receives, Consumer<Answer> done) {
    done.accept(new Answer(0, "a simulated fabric of several switches has no multicast; use one switch"));
  }

  @Override
  public void leave(String name, int portNumber, boolean receives) {
    // Nothing was joined.
  }
}
