package dev.weft.hca.cm;

import akka.actor.typed.ActorRef;
import dev.weft.fabric.Check;
import dev.weft.fabric.HardwareMessage;
import dev.weft.hca.verbs.Hca;
import dev.weft.hca.verbs.QueuePair;

/** A listener's handle to a connection request. */
record IncomingRequest(Hca hca, ActorRef<HardwareMessage> cm, long id, String peerNode, byte[] privateData)
    implements ConnectionRequest {
  @Override
  public void accept(QueuePair qp, ConnectionOptions options, byte[] data, ConnectionObserver observer) {
    Check.given("observer", observer);
    answer(qp, options, data, Guarded.observer(observer));
  }

  @Override
  public void accept(QueuePair qp, ConnectionOptions options, byte[] data, ActorRef<ConnectionEvent> consumer, Object context) {
    Check.given("consumer", consumer);
    answer(qp, options, data, new ActorObserver(consumer, context));
  }

  private void answer(QueuePair qp, ConnectionOptions options, byte[] data, ConnectionObserver observer) {
    byte[] copy = CmClient.copyOf(data);
    CmClient.toInit(hca, qp, options);
    cm.tell(new CmActor.Accept(id, qp, options, copy, observer));
  }

  @Override
  public void reject(byte[] data) {
    cm.tell(new CmActor.Reject(id, RejectReason.CONSUMER, CmClient.copyOf(data)));
  }
}
