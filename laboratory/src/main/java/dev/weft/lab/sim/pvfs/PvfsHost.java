package dev.weft.lab.sim.pvfs;

import akka.actor.typed.ActorRef;
import dev.weft.lab.kit.RunHost;
import dev.weft.pvfs.client.DataClient;
import dev.weft.pvfs.daemon.IoDaemon;
import dev.weft.pvfs.manager.Manager;
import dev.weft.pvfs.meta.MetaClient;
import java.util.ArrayList;
import java.util.List;

/** A node of a run, with the manager, a daemon or a client. */
final class PvfsHost extends RunHost {
  /** How often a manager or daemon was started on it. */
  int starts;
  Manager manager;
  IoDaemon daemon;
  /** Disk of a daemon; null if its stripes are in memory. */
  DaemonDisk disk;
  DataClient data;
  MetaClient meta;
  /** For a client: runs the actions that it gets. */
  ActorRef<Runnable> alarms;
  final List<PvfsProgram> programs = new ArrayList<>();

  PvfsHost(int index, String name) {
    super(index, name);
  }

  /** Path of its manager or daemon. */
  String rolePath() {
    return (manager != null ? manager.actor() : daemon.actor()).path().toStringWithoutAddress();
  }

  /** Breaks a client's connection to the manager, 0, or to a daemon. */
  void drop(int server) {
    if (server == 0) {
      meta.dropConnection();
    } else {
      data.dropConnection(server - 1);
    }
  }

  boolean isDone() {
    return isDown || programs.stream().allMatch(PvfsProgram::isDone);
  }
}
