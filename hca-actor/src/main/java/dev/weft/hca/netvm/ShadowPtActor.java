package dev.weft.hca.netvm;

import akka.actor.typed.ActorRef;
import akka.actor.typed.Behavior;
import akka.actor.typed.javadsl.ActorContext;
import akka.actor.typed.javadsl.Behaviors;

/** The shadow page table of an HCA (design section 3): faults out, pages in. {@link NicPages} decides. */
public final class ShadowPtActor {
  /** What it is told. */
  public sealed interface Command {}

  /** A transfer needs an absent page. */
  record Fault(long page) implements Command {}

  /** The host has read a page; what waits for it comes first. */
  record Loaded(long page) implements Command {}

  /** The host has the processor to copy what waits for a page. */
  record Copy(long page) implements Command {}

  /** A page that was waited for is accessible, and locked if {@code isHeld}; or it is unmapped. */
  record Ready(long page, boolean isHeld) implements Command {}

  /** Asks for the state. */
  public record Inspect(ActorRef<NicPagesSnapshot> replyTo) implements Command {}

  private final NicPages pages;

  private ShadowPtActor(NicPages pages) {
    this.pages = pages;
  }

  /** The actor of {@code pages}; runs on the hardware dispatcher. */
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
