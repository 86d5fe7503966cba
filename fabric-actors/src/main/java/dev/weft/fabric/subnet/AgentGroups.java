package dev.weft.fabric.subnet;

import akka.actor.typed.ActorRef;
import dev.weft.fabric.node.MulticastGroups.Answer;
import dev.weft.fabric.switching.SwitchActor;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.IntUnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The multicast groups that nodes of this JVM have joined, and the ports to which the local switch sends their packets: the ports of
 * nodes that receive, and of the trunks to JVMs that have such nodes. The agent's thread.
 */
final class AgentGroups {
  private static final Logger LOG = LoggerFactory.getLogger(AgentGroups.class);

  private record Waiting(int portNumber, boolean receives, Consumer<Answer> done) {}

  private static final class Joined {
    final GroupMembers members = new GroupMembers();
    final List<Waiting> waiting = new ArrayList<>();
    final TreeSet<Integer> trunkPorts = new TreeSet<>();
    int lid;
  }

  private final ActorRef<SwitchActor.Command> leaf;
  private final ActorRef<FabricAgent.Command> agent;
  private final Map<String, Joined> groups = new LinkedHashMap<>();

  AgentGroups(ActorRef<SwitchActor.Command> leaf, ActorRef<FabricAgent.Command> agent) {
    this.leaf = leaf;
    this.agent = agent;
  }

  void join(FabricAgent.JoinGroup join) {
    Joined joined = groups.computeIfAbsent(join.group(), name -> new Joined());
    joined.members.join(join.portNumber(), join.receives());
    Waiting waiting = new Waiting(join.portNumber(), join.receives(), join.done());
    if (joined.lid == 0) {
      joined.waiting.add(waiting);
    } else {
      admit(join.group(), joined.lid, waiting);
    }
  }

  /** Completes a join of a group that has a LID: adds the port to the switch's group, unless it only sends. */
  private void admit(String group, int lid, Waiting waiting) {
    if (!waiting.receives()) {
      waiting.done().accept(new Answer(lid, null));
      return;
    }
    leaf.tell(new SwitchActor.JoinGroup(lid, waiting.portNumber(), refusal -> {
      if (refusal != null) {
        agent.tell(new FabricAgent.LeaveGroup(group, waiting.portNumber(), true));
      }
      waiting.done().accept(new Answer(refusal == null ? lid : 0, refusal));
    }));
  }

  void leave(FabricAgent.LeaveGroup leave) {
    Joined joined = groups.get(leave.group());
    if (joined != null && joined.members.leave(leave.portNumber(), leave.receives()) && joined.lid != 0) {
      leaf.tell(new SwitchActor.LeaveGroup(joined.lid, leave.portNumber()));
    }
    forgetIfEmpty(leave.group());
  }

  /** Handles a port that is detached; the switch itself removes it from its groups. */
  void removePort(int portNumber) {
    for (String name : List.copyOf(groups.keySet())) {
      groups.get(name).members.remove(portNumber);
      forgetIfEmpty(name);
    }
  }

  private void forgetIfEmpty(String name) {
    Joined joined = groups.get(name);
    if (joined != null && joined.members.isEmpty()) {
      groups.remove(name);
      joined.trunkPorts.forEach(port -> leaf.tell(new SwitchActor.LeaveGroup(joined.lid, port)));
      joined.waiting.forEach(waiting -> waiting.done().accept(new Answer(0, "left again before it was joined")));
    }
  }

  List<GroupClaim> claims() {
    List<GroupClaim> claims = new ArrayList<>();
    groups.forEach((name, joined) -> claims.add(new GroupClaim(name, joined.lid, joined.members.receives())));
    return claims;
  }

  /** Handles a group that the subnet manager did not accept. */
  void onRefused(NodeRefusal refusal) {
    Joined joined = groups.remove(refusal.name());
    if (joined == null) {
      return;
    }
    joined.trunkPorts.forEach(port -> leaf.tell(new SwitchActor.LeaveGroup(joined.lid, port)));
    joined.waiting.forEach(waiting -> waiting.done().accept(new Answer(0, refusal.reason())));
    if (joined.lid != 0) {
      LOG.error("multicast group {} with LID {} was dropped by the subnet manager: {}", refusal.name(), joined.lid, refusal.reason());
    }
  }

  /**
   * Makes the switch's groups as in the view.
   *
   * @param trunkPort returns the port of the trunk to the JVM with a number, or 0
   */
  void apply(FabricView view, int ownNumber, IntUnaryOperator trunkPort) {
    Map<String, GroupEntry> entries = new TreeMap<>();
    view.groups().forEach(entry -> entries.put(entry.name(), entry));
    groups.forEach((name, joined) -> {
      GroupEntry entry = entries.get(name);
      TreeSet<Integer> wanted = new TreeSet<>();
      if (entry != null) {
        assign(name, joined, entry);
        for (int number : entry.receivers()) {
          int port = number == ownNumber ? 0 : trunkPort.applyAsInt(number);
          if (port != 0) {
            wanted.add(port);
          }
        }
      }
      setTrunks(name, joined, wanted);
    });
  }

  private void assign(String name, Joined joined, GroupEntry entry) {
    if (joined.lid == 0) {
      joined.lid = entry.lid();
    }
    List<Waiting> waiting = List.copyOf(joined.waiting);
    joined.waiting.clear();
    waiting.forEach(one -> admit(name, joined.lid, one));
  }

  private void setTrunks(String name, Joined joined, TreeSet<Integer> wanted) {
    for (int port : List.copyOf(joined.trunkPorts)) {
      if (!wanted.contains(port)) {
        joined.trunkPorts.remove(port);
        leaf.tell(new SwitchActor.LeaveGroup(joined.lid, port));
      }
    }
    for (int port : wanted) {
      if (joined.trunkPorts.add(port)) {
        leaf.tell(new SwitchActor.JoinGroup(joined.lid, port, refusal -> {
          if (refusal != null) {
            LOG.error("multicast group {} does not reach trunk port {}: {}", name, port, refusal);
          }
        }));
      }
    }
  }
}
