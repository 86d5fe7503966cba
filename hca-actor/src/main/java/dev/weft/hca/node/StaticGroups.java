package dev.weft.hca.node;

import akka.actor.typed.ActorRef;
import dev.weft.fabric.node.MulticastGroups;
import dev.weft.fabric.packet.Packet;
import dev.weft.fabric.subnet.GroupMembers;
import dev.weft.fabric.switching.SwitchActor;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Multicast groups of a fabric with one switch and no cluster: in one JVM, and in virtual time. Any thread. The number of multicast LIDs limits the
 * number of groups.
 */
final class StaticGroups implements MulticastGroups {
  private record Group(int lid, GroupMembers members) {}

  private final ActorRef<SwitchActor.Command> leafSwitch;
  private final Map<String, Group> byName = new HashMap<>();
  private final Set<Integer> lidsInUse = new HashSet<>();
  private int lastLid = Packet.MULTICAST_LID_MIN;

  StaticGroups(ActorRef<SwitchActor.Command> leafSwitch) {
    this.leafSwitch = leafSwitch;
  }

  @Override
  public void join(String name, int portNumber, boolean receives, Consumer<Answer> done) {
    String objection;
    int lid;
    synchronized (this) {
      objection = objection(name);
      Group group = objection == null ? byName.computeIfAbsent(name, key -> new Group(freeLid(), new GroupMembers())) : null;
      lid = group == null ? 0 : group.lid();
      if (group != null) {
        group.members().join(portNumber, receives);
      }
    }
    if (objection != null || !receives) {
      done.accept(new Answer(lid, objection));
      return;
    }
    leafSwitch.tell(new SwitchActor.JoinGroup(lid, portNumber, refusal -> {
      if (refusal != null) {
        leave(name, portNumber, true);
      }
      done.accept(new Answer(refusal == null ? lid : 0, refusal));
    }));
  }

  private String objection(String name) {
    if (name.isEmpty() || name.length() > NAME_LENGTH_MAX) {
      return "a group name has 1 to " + NAME_LENGTH_MAX + " characters, this one has " + name.length();
    }
    boolean full = lidsInUse.size() > Packet.MULTICAST_LID_MAX - Packet.MULTICAST_LID_MIN;
    return full && !byName.containsKey(name) ? "all multicast LIDs are taken" : null;
  }

  private int freeLid() {
    do {
      lastLid = lastLid >= Packet.MULTICAST_LID_MAX ? Packet.MULTICAST_LID_MIN : lastLid + 1;
    } while (!lidsInUse.add(lastLid));
    return lastLid;
  }

  @Override
  public synchronized void leave(String name, int portNumber, boolean receives) {
    Group group = byName.get(name);
    if (group == null) {
      return;
    }
    if (group.members().leave(portNumber, receives)) {
      leafSwitch.tell(new SwitchActor.LeaveGroup(group.lid(), portNumber));
    }
    if (group.members().isEmpty()) {
      byName.remove(name);
      lidsInUse.remove(group.lid());
    }
  }
}
