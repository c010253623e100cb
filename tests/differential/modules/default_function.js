export default function () { return "anonymous default function"; }
