package dev.weft.hca.cm;

import akka.actor.typed.ActorRef;
import dev.weft.fabric.HardwareMessage;
import dev.weft.hca.verbs.QueuePair;

/** A consumer's handle to an established connection. */
record ActiveConnection(ActorRef<HardwareMessage> cm, long id, QueuePair qp, String peerNode, int peerLid, int peerQpNum,
    byte[] privateData) implements Connection {
  @Override
  public byte[] privateData() {
    return privateData.clone();
  }

  @Override
  public void disconnect() {
    cm.tell(new CmActor.Disconnect(id));
  }
}
