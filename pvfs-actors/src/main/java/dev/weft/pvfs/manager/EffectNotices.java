package dev.weft.pvfs.manager;

import akka.actor.typed.ActorRef;

/** Tells the manager's actor the outcomes of effects at the daemons. */
record EffectNotices(ActorRef<ManagerActor.Command> manager) implements Effects.Listener {
  @Override
  public void done(long intent) {
    manager.tell(new ManagerActor.EffectDone(intent));
  }

  @Override
  public void failed(long intent, String why) {
    manager.tell(new ManagerActor.EffectFailed(intent, why));
  }

  @Override
  public void refused(long intent, int errno, long fileBytes) {
    manager.tell(new ManagerActor.EffectRefused(intent, errno, fileBytes));
  }
}
