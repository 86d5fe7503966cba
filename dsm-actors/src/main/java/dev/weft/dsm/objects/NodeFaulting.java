package dev.weft.dsm.objects;

import akka.actor.typed.ActorRef;
import dev.weft.dsm.access.Faulting;
import dev.weft.dsm.access.PageTable;
import dev.weft.dsm.access.Rights;
import dev.weft.dsm.events.FaultEvent;

/** The faults and hints of one node's threads. */
public final class NodeFaulting implements Faulting {
  private final NodeCalls calls;
  private final DsmParts parts;
  private final ActorRef<NodeCommand> actor;
  private final Hints hints = new Hints();

  public NodeFaulting(NodeCalls calls, DsmParts parts, ActorRef<NodeCommand> actor) {
    this.calls = calls;
    this.parts = parts;
    this.actor = actor;
  }

  @Override
  public void await(PageTable table, int index, byte rights, int firstWord, int lastWord) {
    parts.access().costs().fault(rights);
    FaultEvent event = new FaultEvent();
    event.begin();
    Fault fault = new Fault(table.spec().firstMinipage() + index, rights, firstWord, lastWord);
    try {
      calls.await(fault);
    } finally {
      event.end();
      if (event.shouldCommit()) {
        event.array = table.spec().name();
        event.minipage = index;
        event.kind = rights == Rights.WRITE ? "write" : "read";
        event.node = calls.node();
        event.from = fault.isOver() ? fault.source : -1;
        event.bytes = event.from < 0 ? 0 : table.spec().minipageBytes(index);
        event.commit();
      }
    }
  }

  @Override
  public boolean asksForAllAtOnce() {
    return !parts.access().costs().faultsOneByOne();
  }

  @Override
  public void prefetch(PageTable table, int index, int count) {
    calls.checkOpen();
    parts.access().costs().enter();
    int first = index;
    while (first < index + count && table.rights(first) != Rights.NONE) {
      first++;
    }
    hint(table, first, index + count - first, false);
  }

  @Override
  public void push(PageTable table, int index, int count) {
    calls.checkOpen();
    parts.access().costs().enter();
    hint(table, index, count, true);
  }

  private void hint(PageTable table, int index, int count, boolean forAll) {
    if (count > 0 && hints.begin()) {
      actor.tell(new NodeCommand.Prefetch(table, index, count, forAll, hints));
    }
  }

  @Override
  public void left() {
    actor.tell(NodeCommand.Notice.LEFT);
  }

  @Override
  public boolean isWaitedFor() {
    return parts.waitedFor().get();
  }
}
