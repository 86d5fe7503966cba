package dev.weft.hca.netvm;

import akka.actor.typed.ActorRef;
import akka.actor.typed.Behavior;
import akka.actor.typed.javadsl.ActorContext;
import akka.actor.typed.javadsl.Behaviors;

/** The actor for the page faults of an HCA (design section 3). {@link NicPages} has the decision logic. */
public final class ShadowPtActor {
  /** The actor's messages. */
  public sealed interface Command {}

  /** A transfer needs an absent page. */
  record Fault(long page) implements Command {}

  /** The host has read a page; its waiting data must be copied next. */
  record Loaded(long page) implements Command {}

  /** The host's processor is available to copy the waiting data of a page. */
  record Copy(long page) implements Command {}

  /** A requested page is accessible, and locked if {@code isHeld}; or it is unmapped. */
  record Ready(long page, boolean isHeld) implements Command {}

  /** Requests the state. */
  public record Inspect(ActorRef<NicPagesSnapshot> replyTo) implements Command {}

  private final NicPages pages;

  private ShadowPtActor(NicPages pages) {
    this.pages = pages;
  }

  /** Creates the actor of {@code pages}; it must run on the hardware dispatcher. */
  public static Behavior<Command> create(NicPages pages) {
    return Behaviors.setup((ActorContext<Command> context) -> {
      pages.start(context.getSelf());
      return Behaviors.receiveMessage(new ShadowPtActor(pages)::onMessage);
    });
  }

  private Behavior<Command> onMessage(Command message) {
    switch (message) {
      case Fault fault -> pages.onFault(fault.page());
      case Loaded loaded -> pages.onLoaded(loaded.page());
      case Copy copy -> pages.onCopy(copy.page());
      case Ready ready -> pages.onReady(ready.page(), ready.isHeld());
      case Inspect inspect -> inspect.replyTo().tell(pages.snapshot());
    }
    return Behaviors.same();
  }
}
