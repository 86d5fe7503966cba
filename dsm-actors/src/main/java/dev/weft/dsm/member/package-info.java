/**
 * A node as a member of a shared memory: joining, leaving, the takeover of lost homes, the known objects, and the node's part of the protocols. Begin
 * with {@link dev.weft.dsm.member.DsmMember}, which passes messages on. The classes are used in the receive context.
 */
package dev.weft.dsm.member;
