package dev.weft.hca.node;

import akka.actor.ActorPath;
import akka.actor.InvalidActorNameException;
import akka.actor.typed.ActorRef;
import dev.weft.fabric.Check;
import dev.weft.fabric.node.Directory;
import java.util.function.Supplier;
import java.util.regex.Pattern;

/** Checks the names of nodes. A rejected name changes nothing. */
final class NodeNames {
  private static final int LENGTH_MAX = 64;
  /** The names of a fabric's actors other than its nodes. */
  private static final Pattern RESERVED = Pattern.compile("switch|fabric-agent|(leaf|spine|adapter|cabling)-.*|.*-adapter-[0-9]+");

  private NodeNames() {}

  /** Throws IllegalArgumentException if the name is invalid or the directory already has it. */
  static void check(String name, Directory directory) {
    Check.given("name", name);
    if (name.length() > LENGTH_MAX || !ActorPath.isValidPathElement(name)) {
      throw new IllegalArgumentException("\"" + name + "\" cannot be the name of a node; use 1 to " + LENGTH_MAX
          + " letters, digits, dashes and dots");
    }
    if (RESERVED.matcher(name).matches()) {
      throw new IllegalArgumentException("\"" + name + "\" is reserved for a part of the fabric; choose another name for the node");
    }
    directory.lookup(name).ifPresent(holder -> {
      throw new IllegalArgumentException("there is a node named \"" + name + "\" on this fabric already, with LID " + holder.lid()
          + "; choose another name");
    });
  }

  /** Starts the actor of a node under its name; that fails if the name is taken. */
  static ActorRef<NodeActor.Command> spawn(String name, Supplier<ActorRef<NodeActor.Command>> spawn) {
    try {
      return spawn.get();
    } catch (InvalidActorNameException e) {
      throw new IllegalArgumentException("the name \"" + name + "\" is in use on this fabric: by a node that is starting or has not ended yet, "
          + "or by an actor of the program; choose another name", e);
    }
  }
}
